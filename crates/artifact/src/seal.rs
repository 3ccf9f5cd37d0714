//! Encryption of content as kustomizer does it: age, armoured, for X25519 keys.

use std::fmt;
use std::io::{Read, Write};

use age::armor::{ArmoredReader, ArmoredWriter, Format};
use age::{DecryptError, x25519};

use crate::Error;

/// Who may read what is encrypted: a public key, `age1…`.
#[derive(Clone)]
pub struct Recipient(x25519::Recipient);

/// Reads what was encrypted: a private key, `AGE-SECRET-KEY-1…`. It is never shown.
#[derive(Clone)]
pub struct Identity(x25519::Identity);

impl Recipient {
    /// Reads a text with one recipient per line; empty lines and those that begin with `#` are passed over.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, Error> {
        parse_all(text, |line| line.parse().ok().map(Self), "an age recipient (`age1…`)")
    }
}

impl Identity {
    /// Reads a text with one identity per line; empty lines and those that begin with `#` are passed over.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, Error> {
        let parse = |line: &str| line.parse().ok().map(Self);
        parse_all(text, parse, "an age identity (`AGE-SECRET-KEY-1…`)")
    }

    /// The recipient that this identity reads for.
    pub fn recipient(&self) -> Recipient {
        Recipient(self.0.to_public())
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("***")
    }
}

impl fmt::Debug for Recipient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

/// A line that is no key is named by its number alone: it may be half of one, or another secret.
fn parse_all<T>(
    text: &str,
    parse: impl Fn(&str) -> Option<T>,
    expected: &str,
) -> Result<Vec<T>, Error> {
    let mut keys = Vec::new();
    for (line, number) in text.lines().map(str::trim).zip(1..) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let key = parse(line);
        keys.push(key.ok_or_else(|| Error::Seal(format!("line {number} is not {expected}")))?);
    }
    match keys.is_empty() {
        true => Err(Error::Seal(format!("there is no {}", expected.trim_start_matches("an ")))),
        false => Ok(keys),
    }
}

/// Encrypts content for all recipients, of whom there must be one at least.
pub(crate) fn seal(content: &[u8], recipients: &[Recipient]) -> Result<Vec<u8>, Error> {
    let failed = |error: &dyn fmt::Display| Error::Seal(format!("cannot encrypt: {error}"));
    let keys = recipients.iter().map(|recipient| &recipient.0 as &dyn age::Recipient);
    let encryptor = age::Encryptor::with_recipients(keys).map_err(|error| failed(&error))?;
    let write = || {
        let armour = ArmoredWriter::wrap_output(Vec::new(), Format::AsciiArmor)?;
        let mut writer = encryptor.wrap_output(armour)?;
        writer.write_all(content)?;
        writer.finish()?.finish()
    };
    write().map_err(|error| failed(&error))
}

/// Decrypts content with the first identity that can.
pub(crate) fn unseal(content: &[u8], identities: &[Identity]) -> Result<Vec<u8>, Error> {
    if identities.is_empty() {
        let needed = "an age identity is needed to read it".to_owned();
        return Err(Error::Refused { what: "an encrypted artifact".to_owned(), needed });
    }
    let failed = |reason: &str| Error::Seal(format!("cannot decrypt the artifact: {reason}"));
    let broken = |error: DecryptError| match error {
        DecryptError::NoMatchingKeys => failed("it is encrypted for none of the identities given"),
        _ => failed("what it contains is not whole or not written by age"),
    };
    let decryptor = age::Decryptor::new_buffered(ArmoredReader::new(content)).map_err(broken)?;
    let keys = identities.iter().map(|identity| &identity.0 as &dyn age::Identity);
    let mut reader = decryptor.decrypt(keys).map_err(broken)?;
    let mut plain = Vec::new();
    let read = reader.read_to_end(&mut plain);
    read.map_err(|_| failed("it was changed or cut short after it was encrypted"))?;
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "AGE-SECRET-KEY-1VFUSUY9RWADL2ALJ5VUEQ4RRHJKNJHG6M6WP50JGGRXZCPM2FE2S7D4MZN";

    fn identities() -> Vec<Identity> {
        Identity::parse_all(&format!("# created today\n\n  {KEY}\n")).unwrap()
    }

    fn message<T>(result: Result<T, Error>) -> String {
        result.err().expect("because it should fail").to_string()
    }

    #[test]
    fn what_is_encrypted_comes_back_for_its_recipients_alone() {
        let mine = identities();
        let sealed = seal(b"kind: Secret\n", &[mine[0].recipient()]).unwrap();
        assert!(sealed.starts_with(b"-----BEGIN AGE ENCRYPTED FILE-----\n"));
        assert_eq!(unseal(&sealed, &mine).unwrap(), b"kind: Secret\n");

        let other = [Identity(x25519::Identity::generate())];
        assert_eq!(
            message(unseal(&sealed, &other)),
            "cannot decrypt the artifact: it is encrypted for none of the identities given"
        );
        assert_eq!(
            message(unseal(&sealed, &[])),
            "this is an encrypted artifact: an age identity is needed to read it"
        );
        let both = [other[0].clone(), mine[0].clone()];
        assert_eq!(unseal(&sealed, &both).unwrap(), b"kind: Secret\n");
    }

    #[test]
    fn changed_content_is_refused() {
        let mine = identities();
        let sealed = seal(&[b'a'; 100], &[mine[0].recipient()]).unwrap();
        for changed in [&sealed[..sealed.len() / 2], b"apiVersion: v1\n", b""] {
            let message = message(unseal(changed, &mine));
            assert!(message.starts_with("cannot decrypt the artifact: "), "{message}");
        }
    }

    #[test]
    fn a_broken_key_is_named_by_its_line_and_never_shown() {
        let broken = format!("{KEY}\n{}\n", &KEY[..40]);
        assert_eq!(
            message(Identity::parse_all(&broken)),
            "line 2 is not an age identity (`AGE-SECRET-KEY-1…`)"
        );
        assert_eq!(
            message(Identity::parse_all("# none\n")),
            "there is no age identity (`AGE-SECRET-KEY-1…`)"
        );
        assert_eq!(message(Recipient::parse_all(KEY)), "line 1 is not an age recipient (`age1…`)");
        assert_eq!(format!("{:?}", identities()), "[***]");
    }
}
