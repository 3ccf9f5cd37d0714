//! Private keys under a password: scrypt makes a key of it, and a NaCl secretbox holds the PKCS #8 document.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use crypto_secretbox::aead::Aead;
use crypto_secretbox::{KeyInit, Nonce, XSalsa20Poly1305};
use kelson_model::Secret;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

/// The costs that cosign has used, as powers of two. Others are refused: they would say how much memory we take.
const COSTS: [u8; 3] = [15, 16, 17];
/// The cost of new keys.
const COST: u8 = 16;
const BLOCK: u32 = 8;
const PARALLEL: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Sealed {
    kdf: Kdf,
    cipher: Cipher,
    ciphertext: String,
}

#[derive(Serialize, Deserialize)]
struct Kdf {
    name: String,
    params: Params,
    salt: String,
}

#[derive(Serialize, Deserialize)]
struct Params {
    #[serde(rename = "N")]
    n: u64,
    r: u32,
    p: u32,
}

#[derive(Serialize, Deserialize)]
struct Cipher {
    name: String,
    nonce: String,
}

const KDF: &str = "scrypt";
const CIPHER: &str = "nacl/secretbox";

/// Opens what [`seal`] made.
pub(super) fn open(json: &[u8], password: &Secret) -> Result<Zeroizing<Vec<u8>>, String> {
    let sealed: Sealed = serde_json::from_slice(json)
        .map_err(|error| format!("what is encrypted is not as cosign writes it: {error}"))?;
    if (sealed.kdf.name.as_str(), sealed.cipher.name.as_str()) != (KDF, CIPHER) {
        return Err(format!("it is not encrypted with {KDF} and {CIPHER}"));
    }
    let params = &sealed.kdf.params;
    let cost = COSTS.into_iter().find(|cost| params.n == 1 << cost);
    let (Some(cost), BLOCK, PARALLEL) = (cost, params.r, params.p) else {
        return Err("its parameters for scrypt are none that cosign uses".to_owned());
    };
    let bytes = |what: &str, text: &str| {
        STANDARD.decode(text).map_err(|_| format!("the {what} of its encryption is not base64"))
    };
    let nonce: [u8; 24] = bytes("nonce", &sealed.cipher.nonce)?
        .try_into()
        .map_err(|_| "the nonce of its encryption does not have 24 bytes".to_owned())?;
    let salt = bytes("salt", &sealed.kdf.salt)?;
    let ciphertext = bytes("text", &sealed.ciphertext)?;
    secretbox(cost, password, &salt)?
        .decrypt(&Nonce::from(nonce), ciphertext.as_slice())
        .map(Zeroizing::new)
        .map_err(|_| "the password does not open it".to_owned())
}

/// Seals a document as cosign does.
pub(super) fn seal(document: &[u8], password: &Secret) -> Result<Vec<u8>, String> {
    let (mut salt, mut nonce) = ([0; 32], [0; 24]);
    for place in [&mut salt[..], &mut nonce[..]] {
        aws_lc_rs::rand::fill(place).map_err(|_| "there is no randomness".to_owned())?;
    }
    let ciphertext = secretbox(COST, password, &salt)?
        .encrypt(&Nonce::from(nonce), document)
        .map_err(|_| "it cannot be encrypted".to_owned())?;
    let sealed = Sealed {
        kdf: Kdf {
            name: KDF.to_owned(),
            params: Params { n: 1 << COST, r: BLOCK, p: PARALLEL },
            salt: STANDARD.encode(salt),
        },
        cipher: Cipher { name: CIPHER.to_owned(), nonce: STANDARD.encode(nonce) },
        ciphertext: STANDARD.encode(ciphertext),
    };
    Ok(serde_json::to_vec(&sealed).expect("because it has text keys alone"))
}

fn secretbox(cost: u8, password: &Secret, salt: &[u8]) -> Result<XSalsa20Poly1305, String> {
    let params =
        scrypt::Params::new(cost, BLOCK, PARALLEL, 32).expect("because the costs are small enough");
    let mut key = Zeroizing::new([0; 32]);
    scrypt::scrypt(password.expose().as_bytes(), salt, &params, key.as_mut_slice())
        .map_err(|_| "no key can be made of the password".to_owned())?;
    Ok(XSalsa20Poly1305::new(crypto_secretbox::Key::from_slice(key.as_slice())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_opens_with_its_password_alone() {
        let password = Secret::new("correct horse");
        let sealed = seal(b"a document", &password).unwrap();
        assert_eq!(open(&sealed, &password).unwrap().as_slice(), b"a document");
        assert_eq!(open(&sealed, &Secret::new("")).unwrap_err(), "the password does not open it");
    }

    #[test]
    fn costs_that_cosign_never_used_are_refused() {
        let text = |n: &str| {
            format!(
                r#"{{"kdf":{{"name":"scrypt","params":{{"N":{n},"r":8,"p":1}},"salt":""}},
                "cipher":{{"name":"nacl/secretbox","nonce":""}},"ciphertext":""}}"#
            )
        };
        for n in ["0", "1", "3", "1048576", "9223372036854775808"] {
            let error = open(text(n).as_bytes(), &Secret::default()).unwrap_err();
            assert_eq!(error, "its parameters for scrypt are none that cosign uses", "{n}");
        }
        let error = open(text("65536").as_bytes(), &Secret::default()).unwrap_err();
        assert_eq!(error, "the nonce of its encryption does not have 24 bytes");
    }
}
