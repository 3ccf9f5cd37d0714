//! What must hold for every archive and every manifest that a registry gives.

use std::sync::Arc;

use kelson_artifact::manifest::media;
use kelson_artifact::{Limits, Metadata, Parsed, Raw, pack_tree, read_archive, recognise};

/// Reading ends within its limits, and what was read is the same when it is packed and read again. Since few changes leave
/// the checksums of headers right, the archive is also read with those put right.
pub fn archive(input: &[u8]) {
    read(input);
    let mended = mended(input);
    if mended != input {
        read(&mended);
    }
}

fn read(input: &[u8]) {
    let limits = Limits {
        expanded: 1 << 20,
        free: 64 << 10,
        entries: 100,
        file: 32 << 10,
        ..Limits::default()
    };
    let Ok(files) = files(input, &limits) else { return };
    assert!(files.len() <= limits.entries);
    for (path, content) in &files {
        let parts = path.strip_prefix('/').expect("because trees begin at their root").split('/');
        assert!(parts.into_iter().all(|part| !["", ".", ".."].contains(&part)), "{path:?}");
        assert!(content.len() as u64 <= limits.file, "{path:?}");
    }
    let packed = pack_tree(&files, &Metadata::default()).expect("because such names are accepted");
    let again = files_of(&packed.layers[0].1);
    assert_eq!(files, again);
}

type Files = Vec<(String, Arc<[u8]>)>;

fn files(input: &[u8], limits: &Limits) -> Result<Files, kelson_artifact::Error> {
    let tree = read_archive(input, limits)?;
    Ok(tree.files().map(|(path, content)| (path.to_owned(), content.clone())).collect())
}

/// The files of an archive of ours.
fn files_of(archive: &[u8]) -> Files {
    files(archive, &Limits::default()).unwrap_or_else(|error| panic!("{error} in what was written"))
}

/// The archive with the right checksum in everything that looks like a header.
fn mended(input: &[u8]) -> Vec<u8> {
    let mut archive = input.to_vec();
    for block in archive.chunks_exact_mut(512).filter(|block| &block[257..262] == b"ustar") {
        block[148..156].copy_from_slice(b"        ");
        let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    }
    archive
}

/// A manifest or index is read or refused, whatever it is said to be; what was read is the same when it is written and
/// read again; and it is known by its maker or refused by name.
pub fn manifest(input: &[u8]) {
    for kind in [media::OCI_MANIFEST, media::OCI_INDEX, media::DOCKER_MANIFEST, media::DOCKER_LIST]
    {
        match Raw::new(kind, input.to_vec()).parse() {
            Ok(Parsed::Manifest(manifest)) => {
                let _ = recognise(&manifest);
                let again = Raw::new(kind, Raw::write(&manifest).bytes).parse();
                assert_eq!(again.expect("because we wrote it"), Parsed::Manifest(manifest));
            }
            Ok(Parsed::Index(index)) => {
                let again = Raw::new(kind, Raw::write_index(&index).bytes).parse();
                assert_eq!(again.expect("because we wrote it"), Parsed::Index(index));
            }
            Err(error) => drop(error.to_string()),
        }
    }
}
