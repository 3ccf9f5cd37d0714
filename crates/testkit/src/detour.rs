//! The way to an API server that leads through a [`FaultProxy`].
//!
//! The proxy ends the encryption, so it cannot pass a client's certificate on; the tokens in a kubeconfig go through as
//! they are, and everybody stays who they are.

use std::ops::Deref;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::bare::{Place, value};
use crate::certs::Authority;
use crate::control_plane::{new_directory, write};
use crate::{Error, FaultProxy};

/// A proxy before an API server, with a kubeconfig that leads to it. It is gone when dropped.
pub struct Detour {
    proxy: FaultProxy,
    authority: Authority,
    directory: PathBuf,
    kubeconfig: PathBuf,
}

impl Detour {
    /// Stands before the API server of a kubeconfig that a control plane wrote.
    pub(crate) fn to(kubeconfig: &Path) -> Result<Self, Error> {
        let text = read(kubeconfig)?;
        let place = Place::read(&text, kubeconfig)?;
        let authority = Authority::new()?;
        let server = authority.server()?;
        let (certificate, key) = (&server.certificate, &server.key);
        let proxy = FaultProxy::start_tls(place.address, &place.authority, certificate, key)?;
        let directory = new_directory("detour")?;
        let mut detour = Self { proxy, authority, directory, kubeconfig: PathBuf::new() };
        detour.kubeconfig = detour.lead(kubeconfig)?;
        Ok(detour)
    }

    /// The kubeconfig of a user who may do everything.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// A copy of a kubeconfig that leads here. Whoever it is for must be known by a token.
    pub fn lead(&self, kubeconfig: &Path) -> Result<PathBuf, Error> {
        let mut text = read(kubeconfig)?;
        let server = format!("https://{}", self.proxy.address());
        for (key, ours) in [
            ("server", server),
            ("certificate-authority-data", STANDARD.encode(&self.authority.pem)),
        ] {
            if let Some(theirs) = value(&text, key).map(str::to_owned) {
                text = text.replace(&theirs, &ours);
            }
        }
        let name = kubeconfig.file_name().unwrap_or_default().to_string_lossy();
        write(&self.directory, &name, &text)
    }
}

impl Deref for Detour {
    type Target = FaultProxy;

    fn deref(&self) -> &FaultProxy {
        &self.proxy
    }
}

impl Drop for Detour {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.directory).ok();
    }
}

fn read(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(Error::at(path))
}
