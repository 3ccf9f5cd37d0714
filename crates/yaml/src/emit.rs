//! Writes YAML in the exact bytes of the go-yaml emitters.

mod analysis; // which styles a text allows
mod canonical; // what `kustomize build` prints
mod detour; // the same by upstream's own way, for what is rare or wrong
mod direct; // JSON in one pass
mod order; // the order of keys
mod passage; // what survives upstream's stages
mod styled; // what kyaml prints
mod typed; // what a scalar becomes on its way out
mod writer; // scalars in each style

use crate::{EmitError, Node, Span};

/// Writes a document as `kustomize build` prints it: keys sorted, styles chosen anew, every value as it
/// comes out of a passage through JSON.
///
/// # Errors
///
/// Upstream's text for a tree that upstream cannot print, such as one with a key twice.
pub fn canonical(node: &Node, out: &mut String) -> Result<(), EmitError> {
    let start = out.len();
    if canonical::write(node, out).is_ok() {
        return Ok(());
    }
    out.truncate(start);
    detour::canonical(node, out)
}

/// Writes a document as kyaml's `String` does: order, styles and tags are kept, two columns of indentation,
/// lists not indented.
///
/// # Errors
///
/// None that a tree read from text can cause.
pub fn styled(node: &Node, out: &mut String) -> Result<(), EmitError> {
    styled::write(node, out);
    Ok(())
}

/// Writes the JSON of the values that go-yaml v3 decodes from a tree.
pub(crate) fn json(node: &Node, out: &mut String) -> Result<(), EmitError> {
    let start = out.len();
    if direct::write(node, out).is_ok() {
        return Ok(());
    }
    out.truncate(start);
    detour::json(node, out)
}

pub(crate) use typed::Typed;

fn error(message: impl Into<String>, span: Span) -> EmitError {
    EmitError { message: message.into(), span }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, first_document};

    /// The shortcut either declines or agrees with the long way round.
    #[test]
    fn the_shortcut_agrees_with_upstreams_own_way() {
        let cases = include_str!("../tests/upstream.jsonl");
        let mut taken = 0;
        for line in cases.lines() {
            let case = crate::json::read(line, Span::NONE).unwrap();
            let text = case.get("in").and_then(Node::text).unwrap();
            let Ok(Some(node)) = first_document(text, Span::NONE, Dialect::V3) else { continue };
            let (mut short, mut long) = (String::new(), String::new());
            if canonical::write(&node, &mut short).is_ok() {
                detour::canonical(&node, &mut long).unwrap();
                assert_eq!(short, long);
                taken += 1;
            }
            let (mut short, mut long) = (String::new(), String::new());
            if direct::write(&node, &mut short).is_ok() {
                detour::json(&node, &mut long).unwrap();
                assert_eq!(short, long);
            }
        }
        assert!(taken > 300);
    }
}
