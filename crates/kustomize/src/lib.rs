//! A kustomize build engine.
//!
//! A tree of files and options go in; objects, or a list of what is still needed, or diagnostics come out.
//! The engine is pure: it knows no clock, network, process or global, so a thousand builds run side by side.
//!
//! ```
//! use kelson_kustomize::{Options, Outcome, build};
//! use kelson_model::{Answers, MemoryTree};
//!
//! let tree = MemoryTree::parse(
//!     "#- shop/kustomization.yaml
//! namePrefix: test-
//! resources: [service.yaml]
//! #- shop/service.yaml
//! apiVersion: v1
//! kind: Service
//! metadata: {name: shop}
//! ",
//! );
//! let outcome = build(&tree, "/shop", &Options::default(), &Answers::default());
//! let Ok(Outcome::Built(built)) = outcome else { panic!("nothing is needed here") };
//! assert_eq!(
//!     built.to_yaml().unwrap(),
//!     "apiVersion: v1\nkind: Service\nmetadata:\n  name: test-shop\n"
//! );
//! ```

mod accumulate; // the recursion through bases and components
mod build; // one build from its root
mod config; // which fields each transformer looks at
mod context; // what a build knows while it runs
mod decode; // from nodes to typed configuration
mod fault; // how a stage of the build fails
mod fieldspec; // where a transformer looks
mod generate; // ConfigMaps, Secrets and the like
mod giturl; // which texts name a repository
mod goregex; // regular expressions as Go reads them
mod gotext; // text as Go writes it
mod growth; // how large objects may become
mod hash; // the suffix of generated names
mod id; // group, version, kind, name, namespace: what an object is known by
mod inline; // documents inside of scalars
mod jsonpatch; // lists of operations
mod kustomization; // the kustomization file
mod loader; // a kustomization's view of files
mod merge; // strategic merge patches
mod metadata; // origins and transformations
mod namerefs; // names that follow when an object is renamed
mod openapi; // schemas of the user's own
mod options; // what a caller can choose
mod output; // values as Go prints them
mod path; // the ways to a field that replacements and variables use
mod plugins; // generators, transformers and validators
mod read; // from text to objects
mod resmap; // the objects of a build
mod resource; // an object under construction, with its history
mod retype; // fields that change their type
mod schema; // what is known of kinds: merge keys, scope
mod selector; // which objects are meant
mod sort; // the order of the output
mod transform; // what changes objects
mod transformer; // a transformer that is set up
mod write; // how a transformer writes

pub use build::{Build, Failure, Object, Outcome, build};
pub use context::Step;
pub use options::{Options, Reorder};
