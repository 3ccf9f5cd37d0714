//! The certificates of one control plane: an authority, a server, and as many users as wanted.

use std::net::IpAddr;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, SanType,
};

use crate::Error;

/// A certificate authority that signs servers and users.
#[derive(Debug)]
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    /// Its own certificate.
    pub(crate) pem: String,
}

/// A certificate with its key.
#[derive(Debug)]
pub(crate) struct Identity {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

impl Authority {
    pub(crate) fn new() -> Result<Self, Error> {
        let wrap = |error| Error::Certificate("the authority".to_owned(), error);
        let key = KeyPair::generate().map_err(wrap)?;
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "kelson-testkit");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        let pem = params.self_signed(&key).map_err(wrap)?.pem();
        Ok(Self { issuer: Issuer::new(params, key), pem })
    }

    /// A certificate for a server on loopback.
    pub(crate) fn server(&self) -> Result<Identity, Error> {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "kube-apiserver");
        params.subject_alt_names = vec![
            SanType::IpAddress(IpAddr::from([127, 0, 0, 1])),
            SanType::DnsName(
                "localhost"
                    .try_into()
                    .map_err(|error| Error::Certificate("localhost".to_owned(), error))?,
            ),
        ];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        self.sign(params, "the server")
    }

    /// A certificate that the API server takes for user `name` in `group`.
    pub(crate) fn user(&self, name: &str, group: &str) -> Result<Identity, Error> {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.distinguished_name.push(DnType::OrganizationName, group);
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        self.sign(params, name)
    }

    fn sign(&self, params: CertificateParams, whom: &str) -> Result<Identity, Error> {
        let wrap = |error| Error::Certificate(whom.to_owned(), error);
        let key = KeyPair::generate().map_err(wrap)?;
        let certificate = params.signed_by(&key, &self.issuer).map_err(wrap)?;
        Ok(Identity { certificate: certificate.pem(), key: key.serialize_pem() })
    }
}
