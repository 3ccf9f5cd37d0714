//! `kelson man`: manual pages out of the definitions of the arguments.

use std::path::PathBuf;

use anyhow::Context;

use crate::exit::Code;

/// Write the manual pages.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The directory for one page per command; without it, the main page is printed.
    directory: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    let command = crate::definitions();
    match &arguments.directory {
        None => clap_mangen::Man::new(command).render(&mut std::io::stdout())?,
        Some(directory) => {
            std::fs::create_dir_all(directory)
                .and_then(|()| clap_mangen::generate_to(command, directory))
                .with_context(|| {
                    format!("cannot write manual pages to `{}`", directory.display())
                })?;
        }
    }
    Ok(Code::Done)
}
