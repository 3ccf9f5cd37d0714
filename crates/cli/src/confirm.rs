//! Questions to a person.

use std::io::{BufRead, IsTerminal, Write};

use anyhow::Context;
use kelson_plan::DataLoss;

use crate::draw;

/// Whether there is somebody who can answer.
pub(crate) fn is_possible() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks a question that only `y` or `yes` agrees to.
pub(crate) async fn ask(question: &str) -> anyhow::Result<bool> {
    let answer = answer(&format!("{question} [y/N] ")).await?;
    Ok(matches!(answer.to_lowercase().as_str(), "y" | "yes"))
}

/// Lists what would be lost, and asks for the delivery's name.
pub(crate) async fn may_be_lost(losses: &[DataLoss], name: &str) -> anyhow::Result<bool> {
    draw::line("This would be lost:");
    for loss in losses {
        draw::line(&format!("  {}: {}", loss.id, loss.what));
    }
    let answer = answer(&format!("Type `{name}` to let it go, anything else to keep it: ")).await?;
    Ok(answer == name)
}

async fn answer(question: &str) -> anyhow::Result<String> {
    let mut error = std::io::stderr();
    error.write_all(question.as_bytes()).and_then(|()| error.flush()).ok();
    // Off the threads that wait for the network: a person may take their time, and Ctrl-C must still be heard.
    let line = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).map(|_| line)
    });
    let line = line.await.context("the question broke off")?.context("cannot read the answer")?;
    Ok(line.trim().to_owned())
}
