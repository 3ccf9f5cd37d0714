use std::io::Write;

use super::*;

/// One entry: header, content, padding.
fn entry(name: &[u8], kind: u8, content: &[u8]) -> Vec<u8> {
    sized(name, kind, content.len(), content)
}

fn sized(name: &[u8], kind: u8, size: usize, content: &[u8]) -> Vec<u8> {
    let mut block = [0; 512];
    block[..name.len()].copy_from_slice(name);
    block[100..107].copy_from_slice(b"0000644");
    block[124..135].copy_from_slice(format!("{size:011o}").as_bytes());
    block[156] = kind;
    block[257..265].copy_from_slice(b"ustar\x0000");
    sum(&mut block);
    let mut entry = block.to_vec();
    entry.extend(content);
    entry.resize(entry.len().next_multiple_of(512), 0);
    entry
}

fn sum(block: &mut [u8; 512]) {
    block[148..156].fill(b' ');
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
}

fn file(name: &str) -> Vec<u8> {
    entry(name.as_bytes(), b'0', b"x")
}

fn pax(records: &str) -> Vec<u8> {
    entry(b"PaxHeaders.0/x", b'x', records.as_bytes())
}

fn ended(entries: &[Vec<u8>]) -> Vec<u8> {
    [entries.concat(), vec![0; 1024]].concat()
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(9));
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// Content in zstd frames of single repeated bytes and raw blocks, which needs no compressor.
fn zstd(content: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58];
    let mut pieces = content.chunks(100_000).peekable();
    while let Some(piece) = pieces.next() {
        let header = (piece.len() as u32) << 3 | u32::from(pieces.peek().is_none());
        frame.extend(&header.to_le_bytes()[..3]);
        frame.extend(piece);
    }
    frame
}

fn show(result: Result<MemoryTree, Error>) -> String {
    let show = |tree: MemoryTree| {
        let files = tree.files().map(|(path, content)| format!("{path}={}", content.len()));
        files.collect::<Vec<_>>().join(" ")
    };
    result.map_or_else(|error| error.to_string(), show)
}

#[track_caller]
fn check(entries: &[Vec<u8>], expected: &str) {
    assert_eq!(show(read_archive(&ended(entries), &Limits::default())), expected);
}

/// The entry is refused by this rule, in whatever way the archive is compressed.
#[track_caller]
fn refused(entries: &[Vec<u8>], entry: &str, rule: &str) {
    let expected = format!("archive entry `{entry}` is refused: {rule}");
    for archive in [ended(entries), gzip(&ended(entries)), zstd(&ended(entries))] {
        assert_eq!(show(read_archive(&archive, &Limits::default())), expected);
    }
}

#[test]
fn files_and_directories_are_read() {
    check(&[entry(b"./", b'5', b""), file("./a.yaml"), file("b/c.yaml")], "/a.yaml=1 /b/c.yaml=1");
    check(&[file("b/c"), entry(b"b", b'5', b""), entry(b"old/", 0, b"")], "/b/c=1");
    check(&[entry(b"e", b'0', b"")], "/e=0");
    check(&[], "");
    let padded = [ended(&[file("a")]), vec![0; 9216]].concat();
    assert_eq!(show(read_archive(&padded, &Limits::default())), "/a=1");
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    refused(&[file("../a")], "../a", "its name leads out of the archive by `..`");
    refused(&[file("a/../../b")], "a/../../b", "its name leads out of the archive by `..`");
    refused(&[entry(b"..", b'5', b"")], "..", "its name leads out of the archive by `..`");
    refused(&[file("/etc/passwd")], "/etc/passwd", "its name is absolute");
    refused(&[file("a\\b")], "a\\b", "its name contains `\\`");
    refused(&[file("C:/a")], "C:/a", "its name begins with a drive letter");
    refused(&[entry(b"a\0b", b'0', b"")], "a", "its name contains NUL");
    refused(&[file("a\nb")], "a\\nb", "its name contains a control character");
    refused(&[entry(b"\xff", b'0', b"")], "\u{fffd}", "its name is not UTF-8");
    refused(&[file("")], "", "its name is empty");
    refused(&[file("a//b")], "a//b", "its name has an empty part");
    refused(&[file(".")], ".", "its name is that of the root");
    refused(&[file("a/")], "a/", "it is a file, but its name ends in `/`");
}

#[test]
fn names_that_could_be_one_file_are_refused() {
    let one = |a: &str, b: &str| {
        format!("`{a}` and `{b}` are one name where case or Unicode form does not count")
    };
    refused(&[file("a"), file("a")], "a", "its name is used twice");
    refused(&[file("a"), file("./a")], "./a", "its name is used twice");
    let directory = || entry(b"d", b'5', b"");
    refused(&[directory(), directory()], "d", "its name is used twice");
    refused(&[file("A.yaml"), file("a.yaml")], "a.yaml", &one("a.yaml", "A.yaml"));
    refused(&[file("B/a"), file("b/c")], "b/c", &one("b", "B"));
    refused(&[file("\u{e9}"), file("e\u{301}")], "e\u{301}", &one("e\u{301}", "\u{e9}"));
    refused(&[file("stra\u{df}e"), file("STRASSE")], "STRASSE", &one("STRASSE", "stra\u{df}e"));
    refused(&[file("a"), file("a/b")], "a/b", "`a` above it is a file");
    refused(&[file("a/b"), file("a")], "a", "its name is used twice");
}

#[test]
fn only_files_and_directories_are_accepted() {
    for (kind, name) in [
        (b'1', "a hard link"),
        (b'2', "a symbolic link"),
        (b'3', "a character device"),
        (b'4', "a block device"),
        (b'6', "a FIFO"),
        (b'7', "a contiguous file"),
        (b'S', "a sparse file"),
    ] {
        let rule = format!("it is {name}; only regular files and directories are accepted");
        refused(&[entry(b"a", kind, b"")], "a", &rule);
    }
    refused(&[entry(b"a", b'V', b"")], "a", "its kind `V` is unknown");
    refused(&[sized(b"d", b'5', 1, b"x")], "d", "it is a directory, but has content");
}

#[test]
fn long_names_come_from_records() {
    let long = "d/".repeat(60) + "a";
    let record = format!("{} path={long}\n", long.len() + 10);
    check(&[pax(&record), file("short")], &format!("/{long}=1"));
    check(&[pax("18 mtime=1.500000\n19 SCHILY.xattr.a=\n"), file("a")], "/a=1");
    let gnu = || entry(b"././@LongLink", b'L', format!("{long}\0").as_bytes());
    check(&[gnu(), file("short")], &format!("/{long}=1"));
    check(&[entry(b"pax_global_header", b'g', b"13 comment=x\n"), file("a")], "/a=1");
}

#[test]
fn records_that_play_tricks_are_refused() {
    let then = |records: &str| [pax(records), file("a")];
    refused(&then("15 path=../b\n\n"), "PaxHeaders.0/x", "its PAX records are broken");
    refused(&then("13 path=../b\n"), "../b", "its name leads out of the archive by `..`");
    refused(&then("11 path=/b\n"), "/b", "its name is absolute");
    refused(&then("12 path=a\0b\n"), "a\\u{0}b", "its name contains NUL");
    refused(&then("8 path=\n"), "", "its name is empty");
    refused(&then("13 size=4096\n"), "a", "its header and its PAX records say two sizes");
    refused(&then("9 size=x\n"), "PaxHeaders.0/x", "its PAX size is not a number");
    let twice = "10 path=b\n10 path=c\n";
    refused(&then(twice), "PaxHeaders.0/x", "its PAX records say `path` twice");
    refused(&then("14 linkpath=b\n"), "PaxHeaders.0/x", "it is a link");
    refused(&then("22 GNU.sparse.major=1\n"), "PaxHeaders.0/x", "it is a sparse file");
    refused(&then("999 path=b\n"), "PaxHeaders.0/x", "its PAX records are broken");
    refused(&then("0 path=b\n"), "PaxHeaders.0/x", "its PAX records are broken");
    refused(&[pax("10 path=b\n"), pax("10 path=c\n")], "PaxHeaders.0/x", "it has records twice");
    let global = entry(b"g", b'g', b"10 path=b\n");
    refused(&[global, file("a")], "g", "it sets `path` for all entries that follow");
    let endless = entry(b"././@LongLink", b'L', b"name");
    refused(&[endless], "././@LongLink", "its long name does not end in NUL");
    let huge = sized(b"x", b'x', 1 << 20, b"");
    refused(&[huge], "x", "its records have more than 65536 bytes");
}

#[test]
fn broken_archives_are_refused_as_a_whole() {
    let check = |archive: &[u8], rule: &str| {
        let expected = format!("archive is refused: {rule}");
        assert_eq!(show(read_archive(archive, &Limits::default())), expected);
    };
    check(&file("a"), "it is cut short");
    check(&ended(&[sized(b"a", b'0', 4096, b"x")]), "it is cut short");
    check(b"not a tar", "it is cut short");
    check(&ended(&[pax("10 path=b\n")]), "its last records belong to no entry");
    check(&[ended(&[file("a")]), file("b")].concat(), "something follows its end");
    let mut wrong = file("a");
    wrong[0] = b'b';
    refused(&[wrong], "b", "its header does not have the checksum it says");
    let mut binary: [u8; 512] = file("a")[..512].try_into().unwrap();
    binary[124] = 0x80;
    sum(&mut binary);
    refused(&[binary.to_vec()], "a", "its header has a number that is not octal");
}

#[test]
fn compressed_streams_are_whole_and_nothing_follows() {
    let archive = ended(&[file("a")]);
    let read = |archive: &[u8]| show(read_archive(archive, &Limits::default()));
    for compress in [gzip, zstd] {
        let two = [compress(&archive[..700]), compress(&archive[700..])].concat();
        assert_eq!(read(&two), "/a=1");
        let many: Vec<u8> = archive.chunks(16).flat_map(compress).collect();
        assert_eq!(read(&many), "archive is refused: it has more than 64 compressed streams");
        let trailing = [compress(&archive), b"garbage".to_vec()].concat();
        assert_eq!(
            read(&trailing),
            "archive is refused: 7 bytes of something else follow its content"
        );
        let cut = compress(&archive);
        let message = read(&cut[..cut.len() - 10]);
        assert!(message.starts_with("archive is refused: it"), "{message}");
    }
    let mut wrong = gzip(&archive);
    let checksum = wrong.len() - 6;
    wrong[checksum] ^= 1;
    assert!(read(&wrong).starts_with("archive is refused: its gzip data is broken"));
}

#[test]
fn zstd_may_look_back_only_so_far() {
    let check = |header: &[u8], expected: &str| {
        let frame = [&[0x28, 0xb5, 0x2f, 0xfd], header, &[1, 0, 0]].concat();
        let actual = show(read_archive(&frame, &Limits::default()));
        assert!(actual.starts_with(&format!("archive is refused: {expected}")), "{actual}");
    };
    check(&[0x00, 0x68], "it is cut short"); // 8 MiB
    check(&[0x00, 0x69], "its zstd window of 9437184 bytes is larger than 8388608");
    check(&[0x00, 0xff], "its zstd window of 4123168604160 bytes is larger");
    check(&[0xe0, 0, 0, 0, 0, 1, 0, 0, 0], "its zstd window of 4294967296 bytes is larger");
    check(&[0xe0], "its zstd header is cut short");
}

#[test]
fn limits_end_what_grows() {
    let check = |limits: Limits, entries: &[Vec<u8>], expected: &str| {
        assert_eq!(show(read_archive(&gzip(&ended(entries)), &limits)), expected);
    };
    let usual = Limits::default;
    let refused = "archive entry `c/c` is refused:";
    check(
        Limits { entries: 3, ..usual() },
        &[file("a"), file("b"), file("c/c")],
        &format!("{refused} it is one of more than 3 files and directories"),
    );
    check(
        Limits { path: 2, ..usual() },
        &[file("c/c")],
        &format!("{refused} its name is longer than 2 bytes"),
    );
    check(
        Limits { depth: 0, ..usual() },
        &[file("a"), file("c/c")],
        &format!("{refused} it is below more than 0 directories"),
    );
    check(
        Limits { file: 0, ..usual() },
        &[file("c/c")],
        &format!("{refused} it has more than 0 bytes"),
    );
    check(
        Limits { expanded: 600, ..usual() },
        &[file("a")],
        "archive is refused: it expands to more than 600 bytes",
    );
}

#[test]
fn a_bomb_is_refused_by_its_ratio() {
    let archive = ended(&[entry(b"bomb", b'0', &vec![0; 1 << 20])]);
    let limits = Limits { free: 1 << 19, ..Limits::default() };
    let message = show(read_archive(&gzip(&archive), &limits));
    assert_eq!(message, "archive is refused: it expands to more than 524288 bytes");
    assert_eq!(show(read_archive(&archive, &limits)), "/bomb=1048576");
}

#[test]
fn what_is_written_is_read_back_under_every_name() {
    let names = [
        "a.yaml".to_owned(),
        "d/".repeat(60) + "split.yaml",
        "long".repeat(40),
        "d/".repeat(10) + &"l".repeat(150),
        "caf\u{e9}/\u{1f980}.yaml".to_owned(),
    ];
    let items = || names.iter().map(|path| Item { path, mode: 0o644, content: Some(b"x") });
    let written = layer(items(), Compression::Usual);
    let tree = read_archive(&written.content, &Limits::default()).unwrap();
    let mut expected: Vec<String> = names.iter().map(|name| format!("/{name}")).collect();
    expected.sort();
    assert_eq!(tree.files().map(|(path, _)| path).collect::<Vec<_>>(), expected);
    assert_eq!(written.content, layer(items(), Compression::Usual).content);
    assert_eq!(written.content[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
    let fast = layer(items(), Compression::Fast);
    assert_eq!(fast.content[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255]);
}

/// Numbers that look random and are the same each time.
fn numbers(mut state: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    }
}

#[test]
fn whatever_is_changed_in_an_archive_it_is_read_or_refused() {
    let long = "d/".repeat(60) + "a";
    let record = format!("{} path={long}\n", long.len() + 10);
    let text = b"apiVersion: v1\nkind: ConfigMap\n".repeat(40);
    let archive = ended(&[pax(&record), entry(b"x", b'0', &text), file("b/c"), file("d/e")]);
    let level = ruzstd::encoding::CompressionLevel::Fastest;
    let frame = ruzstd::encoding::compress_to_vec(&archive[..], level);
    let limits = Limits { free: 1 << 20, ..Limits::default() };
    for (seed, whole) in [archive.clone(), gzip(&archive), zstd(&archive), frame].iter().enumerate()
    {
        assert!(read_archive(whole, &limits).is_ok());
        let mut below = numbers(seed as u64 + 1);
        for _ in 0..ROUNDS {
            let mut changed = whole.clone();
            for _ in 0..1 + below(4) {
                let at = below(changed.len());
                changed[at] = below(256) as u8;
            }
            if below(4) == 0 {
                changed.truncate(below(whole.len()));
            }
            let _ = read_archive(&changed, &limits);
        }
    }
}

/// Enough to find what is found at once; the fuzzers look longer.
const ROUNDS: usize = 500;
