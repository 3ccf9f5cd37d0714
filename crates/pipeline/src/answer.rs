//! Gets what a rendering asks for, and runs it again until it asks for nothing more.

mod function; // programs that a build names

use kelson_model::{Answer, Answers, Diagnostic, Need, Request, Sources, Tree};
use kelson_render::{Build, Failure, Options, Outcome};
use kelson_yaml::Span;

/// How often a rendering may ask before it is taken to go in circles.
const ROUNDS: usize = 1000;

/// Renders a directory or a file of a tree, running the functions it asks for where the options allow.
///
/// # Errors
///
/// Fails where the rendering fails, and where it needs something that cannot be had.
pub fn render(tree: &dyn Tree, root: &str, options: &Options) -> Result<Build, Failure> {
    answered(tree, |answers| kelson_render::render(tree, root, options, answers))
}

/// Runs a stage until it needs nothing more. The tree is where the needs were written.
///
/// # Errors
///
/// Fails where the stage fails, and where it needs something that cannot be had.
pub fn answered(
    tree: &dyn Tree,
    mut stage: impl FnMut(&Answers) -> Result<Outcome, Failure>,
) -> Result<Build, Failure> {
    let mut answers = Answers::default();
    for _ in 0..ROUNDS {
        match stage(&answers)? {
            Outcome::Built(build) => return Ok(build),
            Outcome::Needs(needs) => {
                let mut sources = Sources::default();
                let refused: Vec<Diagnostic> = needs
                    .iter()
                    .filter_map(|need| answer(need, &mut answers, tree, &mut sources))
                    .collect();
                if !refused.is_empty() {
                    return Err(Failure { diagnostics: refused, warnings: Vec::new(), sources });
                }
            }
        }
    }
    let message = format!("the build asked for something {ROUNDS} times and is still not done");
    let diagnostics = vec![Diagnostic::error("asks-for-ever", message)];
    Err(Failure { diagnostics, warnings: Vec::new(), sources: Sources::default() })
}

/// Answers one need, or says why it cannot be met.
fn answer(
    need: &Need,
    answers: &mut Answers,
    tree: &dyn Tree,
    sources: &mut Sources,
) -> Option<Diagnostic> {
    let mut refuse = |code, message: String| match place(need, tree, sources) {
        Some(span) => Some(Diagnostic::error(code, message).at(span, "asked for here")),
        None => {
            let place = format!("{}:{}:{}", need.file, need.line, need.column);
            Some(Diagnostic::error(code, format!("{place}: {message}")))
        }
    };
    match &need.request {
        Request::Remote(remote) => {
            let message =
                format!("`{}` is remote, and remote sources are not fetched yet", remote.url);
            refuse("remote-source", message)
                .map(|diagnostic| diagnostic.help("copy it into the tree and name it by its path"))
        }
        Request::Chart(chart) => {
            let message =
                format!("the chart `{}` is not rendered: charts are not built in yet", chart.name);
            refuse("chart", message).map(|diagnostic| {
                diagnostic.help("render it with `helm template` and list the result")
            })
        }
        Request::Function(function) => match function::call(function) {
            Ok(output) => {
                answers.insert(need.request.clone(), Answer::Bytes(output.into()));
                None
            }
            Err(message) => refuse("function", message),
        },
    }
}

/// The place of a need in its file, which is read once more for it.
fn place(need: &Need, tree: &dyn Tree, sources: &mut Sources) -> Option<Span> {
    let bytes = tree.read(&need.file).ok()?;
    let text = String::from_utf8(bytes.to_vec()).ok()?;
    let lines = text.split_inclusive('\n').take(need.line.checked_sub(1)?);
    let line: usize = lines.map(str::len).sum();
    let column = text[line..].char_indices().nth(need.column.checked_sub(1)?)?.0;
    let start = u32::try_from(line + column).ok()?;
    Some(Span { source: sources.add(need.file.as_str(), text), start })
}
