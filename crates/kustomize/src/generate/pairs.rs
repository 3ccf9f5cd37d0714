//! Keys and values from literals, files and env files.

use std::sync::Arc;

use kelson_yaml::{Span, Text};

use crate::context::Context;
use crate::decode::Str;
use crate::fault::{Fault, Result};
use crate::gotext;
use crate::loader::Loader;

/// The longest line that Go's scanner reads; a longer one ends the file.
const LONGEST_LINE: usize = 64 * 1024;

/// A key with its value and the place that gave the value.
pub(super) struct Pair {
    pub(super) key: Text,
    pub(super) value: Value,
    pub(super) span: Span,
}

/// What a key holds.
pub(super) enum Value {
    Text(Arc<str>),
    Bytes(Arc<[u8]>),
}

impl Value {
    /// The bytes of either.
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// What stands for a value that nobody may see.
const HIDDEN: &str = "***";

/// Where the data of an object comes from.
pub(super) struct From<'a> {
    pub(super) envs: &'a [Str],
    pub(super) literals: &'a [Str],
    pub(super) files: &'a [Str],
    /// Whether errors must not quote values, which upstream's do.
    pub(super) is_secret: bool,
}

/// Reads all sources in upstream's order: env files, literals, files.
pub(super) fn load(
    context: &mut Context<'_>,
    loader: &Loader,
    From { envs, literals, files, is_secret }: From<'_>,
) -> Result<Vec<Pair>> {
    let mut pairs = Vec::new();
    let names = |list: &[Str]| gotext::list(list.iter().map(|text| &**text));
    for path in envs {
        env_file(context, loader, path, is_secret, &mut pairs).map_err(|fault| {
            fault.wrap(format!("env source files: {}", names(envs))).wrap("loading KV pairs")
        })?;
    }
    for text in literals {
        pairs.push(literal(context, text, is_secret).map_err(|fault| {
            let shown = if is_secret { format!("[{HIDDEN}]") } else { names(literals) };
            fault.wrap(format!("literal sources {shown}")).wrap("loading KV pairs")
        })?);
    }
    for source in files {
        pairs.push(file(context, loader, source).map_err(|fault| {
            fault.wrap(format!("file sources: {}", names(files))).wrap("loading KV pairs")
        })?);
    }
    Ok(pairs)
}

/// `key=value`, with one pair of quotes taken off the value.
fn literal(context: &Context<'_>, text: &Str, is_secret: bool) -> Result<Pair> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok(Pair {
            key: key.into(),
            value: Value::Text(without_quotes(value).into()),
            span: text.part(key.len() + 1, &context.sources),
        }),
        _ => {
            let shown = if is_secret { HIDDEN } else { &**text };
            let words = format!("invalid literal source {shown}, expected key=value");
            Err(Fault::new("bad-literal", words).at(text.span, "expected key=value"))
        }
    }
}

fn without_quotes(text: &str) -> &str {
    let bytes = text.as_bytes();
    match (bytes.first(), bytes.last()) {
        (Some(first @ (b'"' | b'\'')), Some(last)) if text.len() > 1 && first == last => {
            &text[1..text.len() - 1]
        }
        _ => text,
    }
}

/// `path` or `key=path`.
fn file(context: &mut Context<'_>, loader: &Loader, source: &Str) -> Result<Pair> {
    let (key, path) = file_source(source)?;
    let file = loader.load(context, path, source.span)?;
    let value = match &file.text {
        Some(text) if file.is_plain_text() => Value::Text(Arc::clone(text)),
        _ => Value::Bytes(file.bytes().into()),
    };
    Ok(Pair { key: key.into(), value, span: file.at })
}

fn file_source(source: &Str) -> Result<(&str, &str)> {
    let quoted = |text: &str| gotext::quote(text);
    let words = match source.split_once('=') {
        None => return Ok((base_name(source), source)),
        Some((_, path)) if path.contains('=') => {
            format!("source {} key name or file path contains '='", quoted(source))
        }
        Some(("", path)) => {
            format!("missing key name for file path {} in source {}", quoted(path), quoted(source))
        }
        Some((key, "")) => {
            format!("missing file path for key name {} in source {}", quoted(key), quoted(source))
        }
        Some(pair) => return Ok(pair),
    };
    Err(Fault::new("bad-file-source", words).at(source.span, "expected path or key=path"))
}

/// The last element of a path, as Go's `path.Base` has it.
fn base_name(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    match trimmed.rsplit('/').next() {
        Some("") | None if path.is_empty() => ".",
        Some("") | None => "/",
        Some(name) => name,
    }
}

/// Lines of `key=value`; blank lines and comments are passed over.
fn env_file(
    context: &mut Context<'_>,
    loader: &Loader,
    path: &Str,
    is_secret: bool,
    pairs: &mut Vec<Pair>,
) -> Result<()> {
    let file = loader.load(context, path, path.span)?;
    let mut offset = 0_usize;
    for (number, raw) in file.bytes().split_inclusive(|byte| *byte == b'\n').enumerate() {
        let start = offset;
        offset += raw.len();
        let line = raw.strip_suffix(b"\n").unwrap_or(raw);
        if line.len() >= LONGEST_LINE {
            break;
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let Ok(text) = std::str::from_utf8(line) else {
            let words = match is_secret {
                true => format!("line {HIDDEN} has invalid utf8 bytes : {HIDDEN}"),
                false => {
                    let shown = String::from_utf8_lossy(line);
                    let bytes: Vec<String> = line.iter().map(u8::to_string).collect();
                    format!("line [{}] has invalid utf8 bytes : {shown}", bytes.join(" "))
                }
            };
            return Err(Fault::new("bad-env-file", words).at(path.span, ""));
        };
        let text = if number == 0 { text.trim_start_matches('\u{feff}') } else { text };
        let text = text.trim_start();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let (key, value) = text.split_once('=').unwrap_or((text, ""));
        if !key.is_empty() {
            let before = line.len() - value.len();
            let start = u32::try_from(start + before).unwrap_or(u32::MAX);
            let start = file.at.start.saturating_add(start);
            pairs.push(Pair {
                key: key.into(),
                value: Value::Text(value.into()),
                span: Span { source: file.at.source, start },
            });
        }
    }
    Ok(())
}
