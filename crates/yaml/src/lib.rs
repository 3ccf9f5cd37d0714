//! YAML as Kubernetes tools read and write it.
//!
//! Text becomes a tree of [`Node`]s that remember their text, tag, style and place in the source; a tree
//! becomes text again in the exact bytes of the go-yaml emitters. Nothing here knows of files or networks.

mod node; // the tree itself

pub use node::{
    Data, Entry, Mapping, Node, Scalar, Sequence, SourceId, Span, Style, Tag, Text, Touch,
};
