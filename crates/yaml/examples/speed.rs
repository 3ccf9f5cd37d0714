//! Measures how fast a file is read and written: `cargo run --release -p kelson-yaml --example speed FILE`.

use std::error::Error;
use std::time::Instant;

use kelson_yaml::{Dialect, Span, documents, emit};

const ROUNDS: usize = 7;

#[expect(clippy::print_stdout, reason = "printing is what this program is for")]
fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: speed FILE")?;
    let text = std::fs::read_to_string(path)?;
    let (mut read, mut write, mut written) = (f64::MAX, f64::MAX, 0);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let nodes = documents(&text, Span::NONE, Dialect::V3)?;
        read = read.min(start.elapsed().as_secs_f64());
        let mut out = String::new();
        let start = Instant::now();
        for node in &nodes {
            emit::canonical(node, &mut out)?;
        }
        write = write.min(start.elapsed().as_secs_f64());
        written = out.len();
    }
    let rate = |bytes: usize, seconds: f64| bytes as f64 / seconds / 1e6;
    println!("read  {:.0} MB/s", rate(text.len(), read));
    println!("write {:.0} MB/s", rate(written, write));
    Ok(())
}
