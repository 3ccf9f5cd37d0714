//! JSON as Go's `encoding/json` reads and writes it.

mod read; // text becomes a tree
pub(crate) mod write; // a tree becomes text

pub use read::read;
pub use write::write;

/// Go's text about a number that JSON cannot express.
pub(crate) fn unsupported(float: f64) -> Option<&'static str> {
    if float.is_finite() {
        None
    } else if float.is_nan() {
        Some("json: unsupported value: NaN")
    } else if float > 0.0 {
        Some("json: unsupported value: +Inf")
    } else {
        Some("json: unsupported value: -Inf")
    }
}
