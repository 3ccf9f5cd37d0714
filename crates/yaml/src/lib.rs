//! YAML as Kubernetes tools read and write it.
//!
//! Text becomes a tree of [`Node`]s that remember their text, tag, style and place in the source; a tree
//! becomes text again in the exact bytes of the go-yaml emitters. Nothing here knows of files or networks.
//!
//! Two dialects are read: [`Dialect::V3`] as kyaml reads resources, [`Dialect::V2`] as `sigs.k8s.io/yaml`
//! reads configuration. Three forms are written: [`emit::canonical`] is what `kustomize build` prints,
//! [`emit::styled`] what kyaml prints, [`json::write`] what Go's `encoding/json` prints.
//!
//! ```
//! use kelson_yaml::{Dialect, Span, emit, first_document};
//!
//! let text = "kind: ConfigMap\ndata: {port: '8080', debug: yes}\n";
//! let document = first_document(text, Span::NONE, Dialect::V3)?.expect("there is a document");
//! assert_eq!(document.lookup(&["data", "port"]).and_then(|node| node.as_str()), Some("8080"));
//!
//! let mut out = String::new();
//! emit::canonical(&document, &mut out)?;
//! assert_eq!(out, "data:\n  debug: \"yes\"\n  port: \"8080\"\nkind: ConfigMap\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Every input is taken to be hostile: nesting beyond 1,000 levels, aliases that multiply and texts beyond
//! 4 GiB are refused, and time grows with the length of the text alone.

mod base64; // bytes that a document carries as text
pub mod emit; // a tree becomes text
mod error; // what can go wrong
mod go; // values as Go shows them
pub mod json; // JSON in and out
mod node; // the tree itself
pub mod number; // numbers as Go prints them
mod place; // what a template fills later
mod read; // text becomes a tree
mod resolve; // what an untagged text means
mod time; // dates

pub use error::{EmitError, ParseError};
pub use node::{
    Bond, Data, Entry, Mapping, Node, Scalar, Sequence, SourceId, Span, Style, Tag, Text, Touch,
};
pub use read::{decode, documents, first_document, first_document_of};
pub use resolve::{Dialect, Reading, resolve};
