//! What our check of custom resources says of them, held against the API server itself.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

#[path = "shared/things.rs"]
mod things; // a definition, and resources with what is wrong with them

use std::fs;

use kelson_testkit::ControlPlane;

#[test]
fn the_api_server_refuses_what_we_say_it_refuses() {
    let test = "the_api_server_refuses_what_we_say_it_refuses";
    let plane = match ControlPlane::start() {
        Ok(plane) => plane,
        Err(error) => return kelson_testkit::cannot_run(test, &error.to_string()),
    };
    let definition = plane.directory().join("definition.yaml");
    fs::write(&definition, things::DEFINITION).unwrap();
    plane.kubectl(&["apply", "-f", definition.to_str().unwrap()]).unwrap();
    let wait = ["wait", "--for=condition=Established", "crd/things.example.com"];
    plane.kubectl(&wait).unwrap();
    let answers = answers(&plane);
    let cases = things::CASES.iter().enumerate();
    let wrong: Vec<String> = cases
        .filter_map(|(at, (rest, expected))| {
            let said = answers.iter().find(|answer| answer.contains(&named(at)));
            judge(rest, expected, said.map_or("", String::as_str)).err()
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The name of a case's resource, which is part of no other's.
fn named(at: usize) -> String {
    format!("case-{at:03}")
}

/// What the server says of the cases that it refuses, all sent at once.
fn answers(plane: &ControlPlane) -> Vec<String> {
    let file = plane.directory().join("resources.yaml");
    let cases = things::CASES.iter().enumerate().map(|(at, (rest, _))| {
        let metadata = format!("{{name: {}}}", named(at));
        format!("{{apiVersion: example.com/v1, kind: Thing, metadata: {metadata}, {rest}}}\n---\n")
    });
    fs::write(&file, cases.collect::<String>()).unwrap();
    let file = file.to_str().unwrap();
    let error = plane
        .kubectl(&["apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", file])
        .unwrap_err();
    let mut answers = vec![String::new()];
    for line in error.to_string().lines() {
        if line.contains("Error from server") || line.contains("The Thing ") {
            answers.push(String::new());
        }
        let last = answers.last_mut().unwrap();
        *last = format!("{last}{line}\n");
    }
    answers
}

fn judge(rest: &str, expected: &str, said: &str) -> Result<(), String> {
    let mut lines = expected.lines();
    // What has the wrong type is all that the server tells; otherwise it tells everything, as we do.
    let agrees = match said.contains("failed to create typed patch object") {
        true => lines.any(|line| says(said, line)),
        false => said.is_empty() == expected.is_empty() && lines.all(|line| says(said, line)),
    };
    match agrees {
        true => Ok(()),
        false => Err(format!("{rest}\n  the server says:\n{said}\n  and we:\n{expected}")),
    }
}

/// Whether the server says what we do. It names some fields elsewhere in the sentence, and shows some values as Go does.
fn says(said: &str, line: &str) -> bool {
    let (path, rule) = line.split_once(": ").unwrap_or(("", line));
    let forms = [
        line.to_owned(),
        line.split(", got ").next().unwrap_or(line).to_owned() + ", got ",
        format!("\"{path}\" {rule}"),
        format!("{rule} in {path}"),
    ];
    forms.iter().any(|form| said.contains(form))
}
