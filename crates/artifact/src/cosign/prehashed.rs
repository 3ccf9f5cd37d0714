//! Ed25519ph (RFC 8032): a signature of a message's SHA-512 rather than of the message itself.
//!
//! cosign signs so with an Ed25519 key, though what it verifies is plain Ed25519. TLS has no use for this variant, so
//! neither has the provider of everything else, and another library verifies it.

use ed25519_dalek::{Digest, Sha512, Signature, VerifyingKey};

/// Whether the holder of a key, in DER, signed the message so.
pub(super) fn verifies(key: &[u8], message: &[u8], signature: &[u8]) -> bool {
    // The last bytes of the DER form are the key; what comes before only says of which kind it is.
    let key = key.last_chunk().and_then(|bytes| VerifyingKey::from_bytes(bytes).ok());
    match (key, Signature::from_slice(signature)) {
        (Some(key), Ok(signature)) => {
            let hash = Sha512::new_with_prefix(message);
            key.verify_prehashed_strict(hash, None, &signature).is_ok()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vector of RFC 8032, section 7.3.
    const KEY: &str = "302a300506032b6570032100\
        ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf";
    const SIGNATURE: &str = "98a70222f0b8121aa9d30f813d683f809e462b469c7ff87639499bb94e6dae41\
        31f85042463c2a355a2003d062adf5aaa10b8c61e636062aaad11c2a26083406";

    fn bytes(hex: &str) -> Vec<u8> {
        let pair = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        (0..hex.len()).step_by(2).map(pair).collect()
    }

    #[test]
    fn a_signature_of_a_hash_is_good_for_its_message_and_key_alone() {
        let (key, signature) = (bytes(KEY), bytes(SIGNATURE));
        assert!(verifies(&key, b"abc", &signature));
        assert!(!verifies(&key, b"abd", &signature));
        for at in 0..signature.len() {
            let mut spoiled = signature.clone();
            spoiled[at] ^= 1;
            assert!(!verifies(&key, b"abc", &spoiled), "{at}");
        }
        assert!(!verifies(&key, b"abc", &signature[1..]));
        assert!(!verifies(&key[13..], b"abc", &signature));
        assert!(!verifies(&[&key[..12], &[0; 32]].concat(), b"abc", &signature));
    }
}
