//! Builds the programs that Kelson is compared with, from the table in `testkit`.

use kelson_testkit::tools;

/// Builds the named programs and prints where they are; without a name, lists them.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    if arguments.is_empty() {
        for tool in tools::list()? {
            let state = if tool.built { "built" } else { "-" };
            println!("{:<22} {:<9} {state}", tool.name, tool.version);
        }
    }
    for name in arguments {
        println!("{}", tools::get(name)?.display());
    }
    Ok(())
}
