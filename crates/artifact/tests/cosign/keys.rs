//! Keys, good and bad.

use kelson_artifact::{PrivateKey, PublicKey};
use kelson_model::Secret;

use crate::{KINDS, data, private, public};

/// A key of the kind that cosign signs with in a way of its own, which its `verify` does not read.
pub(crate) const ED25519: &str = "\
-----BEGIN PRIVATE KEY-----\n\
MC4CAQAwBQYDK2VwBCIEILg8ZZMaSyjWMiK0rOR9ZyxXdQr6pislbugGFboe24mC\n\
-----END PRIVATE KEY-----\n\
";

#[test]
fn keys_of_cosign_open_with_their_password() {
    for kind in KINDS {
        let sealed = std::fs::read(data(kind).join("cosign.key")).unwrap();
        let opened = PrivateKey::read(&sealed, Some(&Secret::new("correct horse"))).unwrap();
        assert_eq!(opened.public(), private(kind).public(), "{kind}");
        assert_eq!(opened.public(), &public(kind), "{kind}");
        assert_eq!(format!("{opened:?}"), format!("PrivateKey(*** of {})", public(kind).id()));
        let text =
            String::from_utf8(std::fs::read(data(kind).join("cosign.pub")).unwrap()).unwrap();
        assert_eq!(public(kind).to_pem(), text, "{kind}");
    }
}

#[test]
fn keys_that_cannot_be_used_say_why_without_saying_what() {
    #[track_caller]
    fn check(text: &[u8], password: Option<&str>, expected: &str) {
        let password = password.map(Secret::new);
        let error = PrivateKey::read(text, password.as_ref()).unwrap_err();
        assert_eq!(error.to_string(), format!("cannot use the private key: {expected}"));
    }
    let sealed = std::fs::read(data("p256").join("cosign.key")).unwrap();
    check(&sealed, None, "it is encrypted, and no password is given");
    check(&sealed, Some("hunter2"), "the password does not open it");
    check(b"", None, "it is not PEM");
    check(b"hunter2", None, "it is not PEM");
    check(&vec![b'-'; 1 << 20], None, "it has more than 65536 bytes");
    check(
        b"-----BEGIN CERTIFICATE-----\naGk=\n-----END CERTIFICATE-----\n",
        None,
        "it says that it is a `CERTIFICATE`",
    );
    check(
        b"-----BEGIN PRIVATE KEY-----\naGk=\n-----END PRIVATE KEY-----\n",
        None,
        "it is neither an ECDSA key on P-256 or P-384, nor an Ed25519 key, nor an RSA key of 2048 to 8192 bits",
    );
    let public = std::fs::read(data("p256").join("cosign.pub")).unwrap();
    check(&public, None, "it says that it is a `PUBLIC KEY`");
    let error = PublicKey::read(&sealed).unwrap_err().to_string();
    assert_eq!(
        error,
        "cannot use the public key: it says that it is a `ENCRYPTED SIGSTORE PRIVATE KEY`"
    );
}

#[test]
fn a_new_key_is_one_of_cosign() {
    let password = Secret::new("s3cret");
    let (key, text) = PrivateKey::generate(&password).unwrap();
    assert!(text.starts_with("-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\n"), "{text}");
    let again = PrivateKey::read(text.as_bytes(), Some(&password)).unwrap();
    assert_eq!(again.public(), key.public());
    assert!(PrivateKey::read(text.as_bytes(), Some(&Secret::default())).is_err());
}
