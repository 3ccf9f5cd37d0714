//! Names with a hash at their end, as kustomize gives them to what it generates.

use kelson_model::ObjectId;

/// How many letters the hash has.
const LENGTH: usize = 10;

/// The id without the hash at the end of its name, where there is one.
pub(crate) fn without_hash(id: &ObjectId) -> Option<ObjectId> {
    let (name, hash) = id.name.rsplit_once('-')?;
    // Hexadecimal digits, five of them exchanged for letters that cannot form a word.
    let is_hash =
        hash.len() == LENGTH && hash.bytes().all(|byte| b"gh2k456789mbcdtf".contains(&byte));
    is_hash.then(|| ObjectId { name: name.to_owned(), ..id.clone() })
}
