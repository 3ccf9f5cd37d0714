//! Measures how fast a file is read and written: `cargo run --release -p kelson-yaml --example speed FILE`.
//!
//! Prints two lines, each a name and bytes per second of processor time. `speed pass FILE` only reads and writes once.

use std::error::Error;
use std::time::{Duration, Instant};

use kelson_yaml::{Dialect, Node, Span, documents, emit};

/// How long each half is measured; the best round counts.
const PERIOD: Duration = Duration::from_secs(2);

#[expect(clippy::print_stdout, reason = "printing is what this program is for")]
fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [word, path] if word == "pass" => {
            let text = std::fs::read_to_string(path)?;
            print!("{}", write(&read(&text)?)?);
        }
        [path] => {
            let text = std::fs::read_to_string(path)?;
            println!("read {:.0}", best(|| Ok((read(&text)?, text.len())))?);
            let nodes = read(&text)?;
            println!("write {:.0}", best(|| write(&nodes).map(|out| (out.len(), out.len())))?);
        }
        _ => return Err("usage: speed [pass] FILE".into()),
    }
    Ok(())
}

fn read(text: &str) -> Result<Vec<Node>, Box<dyn Error>> {
    Ok(documents(text, Span::NONE, Dialect::V3)?)
}

fn write(nodes: &[Node]) -> Result<String, Box<dyn Error>> {
    let mut out = String::new();
    for (number, node) in nodes.iter().enumerate() {
        if number > 0 {
            out.push_str("---\n");
        }
        emit::canonical(node, &mut out)?;
    }
    Ok(out)
}

/// The most bytes per second of any round of some work, which says how many bytes it did.
fn best<T>(work: impl Fn() -> Result<(T, usize), Box<dyn Error>>) -> Result<f64, Box<dyn Error>> {
    let started = Instant::now();
    let mut best = 0.0_f64;
    while started.elapsed() < PERIOD {
        let before = processor_time(started);
        let (_result, bytes) = work()?;
        best = best.max(bytes as f64 / (processor_time(started) - before).as_secs_f64());
    }
    Ok(best)
}

/// The time that this thread had the processor; on systems that do not say, the time on the wall.
fn processor_time(started: Instant) -> Duration {
    let account = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = account.as_deref().and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| started.elapsed(), Duration::from_nanos)
}
