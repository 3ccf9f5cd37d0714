//! Many directories at once.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use kelson_kustomize::{Build, Failure, Options};

use crate::source::Source;
use crate::{answer, stack};

/// What is built.
pub(super) enum Root {
    /// A directory with a kustomization file, as `kustomize build` takes it.
    Directory(String),
    /// Something else that has objects.
    Source(Source),
}

impl Root {
    fn build(&self, options: &Options) -> Result<Build, Failure> {
        match self {
            Self::Directory(path) => answer::build(path, options),
            Self::Source(source) => source.render(&kelson_render::Options {
                kustomize: options.clone(),
                ..kelson_render::Options::default()
            }),
        }
    }
}

/// A directory as named, and what came of it.
pub(super) type Built<T> = (String, Result<T, Failure>);

/// Builds all directories, `jobs` at a time or as many as there are processors, and does `then` with each where it was
/// built. The results are in the order of the arguments.
pub(super) fn build<T: Send>(
    roots: Vec<(String, Root)>,
    options: &Options,
    jobs: Option<NonZeroUsize>,
    then: impl Fn(usize, Build) -> Result<T, Failure> + Sync,
) -> Vec<Built<T>> {
    let processors = || thread::available_parallelism().map_or(1, usize::from);
    let workers = jobs.map_or_else(processors, usize::from).min(roots.len());
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(roots.len()));
    let work = || {
        while let Some((index, (path, root))) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            roots.get(index).map(|root| (index, root))
        } {
            let result = root.build(options).and_then(|build| then(index, build));
            let mut done = done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            done.push((index, (path.clone(), result)));
        }
    };
    thread::scope(|scope| {
        for _ in 1..workers {
            // Without threads to be had, the work is done here, one after the other.
            thread::Builder::new().stack_size(stack::SIZE).spawn_scoped(scope, work).ok();
        }
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, built)| built).collect()
}
