//! Questions to a person, and lines that change in place.

use kelson_testkit::{Fault, Gate};

use crate::Stage;
use crate::node::{Node, deployment};
use crate::screen::Terminal;
use crate::stage::{PATIENCE, signal};

const FILES: &str = "#- v1/objects.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: one}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: none
  resources: {requests: {storage: 1Gi}}
#- v2/objects.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: one}
";

fn start(stage: &Stage, line: &str) -> Terminal {
    Terminal::start(stage.command(line), 24, 100)
}

#[test]
fn only_a_yes_agrees() {
    let stage = Stage::new(FILES);
    stage.step("use v2");
    for (answer, is_yes) in
        [("", false), ("no", false), ("ja", false), ("y", true), ("yes", true), ("YES", true)]
    {
        let mut terminal = start(&stage, "apply app --name app --no-wait");
        terminal.until("[y/N]");
        let screen = stage.normal(&terminal.screen());
        assert!(screen.contains("+ ConfigMap/the-namespace/one\n"), "{screen}");
        terminal.enter(answer);
        let (code, screen) = terminal.end();
        assert_eq!(code, i32::from(!is_yes), "`{answer}`:\n{screen}");
        assert_eq!(screen.contains("nothing was done"), !is_yes, "`{answer}`:\n{screen}");
        let made = stage.kubectl("get configmap one --ignore-not-found -o name").unwrap();
        assert_eq!(made.is_empty(), !is_yes, "`{answer}`:\n{screen}");
        assert_eq!(stage.run("kelson delete app --yes").code, 0);
    }
}

#[test]
fn what_holds_data_goes_only_by_its_name() {
    let stage = Stage::new(FILES);
    stage.step("use v1");
    assert_eq!(stage.run("kelson apply app --name app --yes").code, 0);
    stage.step("use v2");
    let get = "get pvc data --ignore-not-found -o name";
    for (name, is_kept) in [("other", true), ("y", true), ("app", false)] {
        let finalizers = r#"{"metadata":{"finalizers":null}}"#;
        stage.kubectl(&format!("patch pvc data --type=merge -p {finalizers}")).unwrap();
        let mut terminal = start(&stage, "apply app --name app --no-wait");
        terminal.until("anything else to keep it:");
        assert!(terminal.screen().contains("This would be lost:"), "{}", terminal.screen());
        terminal.enter(name);
        if !is_kept {
            terminal.until("[y/N]");
            terminal.enter("y");
        }
        let (code, screen) = terminal.end();
        assert_eq!(code, i32::from(is_kept), "`{name}`:\n{screen}");
        assert_eq!(stage.kubectl(get).unwrap().is_empty(), !is_kept, "`{name}`:\n{screen}");
    }
}

#[test]
fn a_second_ctrl_c_ends_at_once() {
    let stage = Stage::new(FILES);
    stage.step("use v1");
    let detour = stage.plane.behind_proxy().unwrap();
    let stage = stage.through(&detour);
    let gate = Gate::new();
    detour.fault_at(1, "PATCH", "/configmaps/one", Fault::Hold(gate.clone()));
    let terminal = start(&stage, "apply app --name app --yes --no-wait");
    gate.wait(PATIENCE).unwrap();
    signal(&terminal.child, "-INT");
    terminal.until("Ctrl-C once more ends at once");
    signal(&terminal.child, "-INT");
    let (code, screen) = terminal.end();
    gate.release(None);
    assert_eq!(code, 1, "{screen}");
    assert!(screen.ends_with("error: interrupted\n"), "{screen}");
    // The line about the wave is gone.
    assert!(!screen.contains("wave 1"), "{screen}");
}

#[test]
fn what_is_waited_for_changes_in_place_and_is_gone_in_the_end() {
    let files: String =
        (0..30).map(|number| deployment(&format!("web-{number:02}"), "ready")).collect();
    let stage = Stage::new(&format!("#- app/web.yaml\n{files}"));
    let terminal = Terminal::start(
        stage.command("apply app --name app --yes --timeout 60s --parallel 16"),
        12,
        60,
    );
    terminal.until("of 30 ready after ");
    terminal.until(" more\n");
    let screen = terminal.screen();
    let table: Vec<&str> = screen
        .lines()
        .skip_while(|line| !line.ends_with("created") || line.starts_with("created"))
        .skip(1)
        .collect();
    assert!(table.len() <= 11, "{screen}");
    assert!(table.iter().all(|line| line.chars().count() <= 60), "{screen}");
    assert!(table.iter().any(|line| line.starts_with("waiting   Deployment/")), "{screen}");
    let _node = Node::of(&stage);
    let (code, screen) = terminal.end();
    assert_eq!(code, 0, "{screen}");
    assert!(screen.ends_with("\n30 ready\n"), "{screen}");
    assert_eq!(screen.matches("\nready     Deployment/").count(), 30, "{screen}");
    assert!(!screen.contains(" more\n") && !screen.contains("ready after"), "{screen}");
}

#[test]
fn what_is_not_ready_stays_to_be_read() {
    let stage = Stage::new(&format!("#- app/web.yaml\n{}", deployment("web", "crash")));
    let _node = Node::of(&stage);
    let terminal = start(&stage, "apply app --name app --yes --timeout 10m");
    let (code, screen) = terminal.end();
    let screen = stage.normal(&screen);
    assert_eq!(code, 3, "{screen}");
    for part in [
        "failed    Deployment/the-namespace/web: ",
        "CrashLoop: ",
        "              | no database at ",
        "\n1 failed\nnot ready: ",
    ] {
        assert!(screen.contains(part), "no `{part}` in:\n{screen}");
    }
    assert_eq!(screen.matches("Deployment/the-namespace/web: ").count(), 1, "{screen}");
}

#[test]
fn ctrl_c_while_waiting_leaves_a_clean_terminal() {
    let files = deployment("web", "pending").replace("Seconds: 1", "Seconds: 600");
    let stage = Stage::new(&format!("#- app/web.yaml\n{files}"));
    let terminal = start(&stage, "apply app --name app --yes --timeout 10m");
    terminal.until("waiting   Deployment/");
    signal(&terminal.child, "-INT");
    let (code, screen) = terminal.end();
    let screen = stage.normal(&screen);
    assert_eq!(code, 3, "{screen}");
    assert!(!screen.contains("ready after"), "{screen}");
    assert!(
        screen.ends_with("1 waiting\nstopped waiting; what was delivered stays as it is, and `kelson wait --name app -n the-namespace` goes on waiting\n"),
        "{screen}"
    );
}

#[test]
fn a_status_is_redrawn_where_it_stands() {
    let stage = Stage::new(FILES);
    stage.step("use v2");
    assert_eq!(stage.run("kelson apply app --name app --yes").code, 0);
    let terminal = start(&stage, "status --watch");
    terminal.until(" yes ");
    stage.kubectl("delete configmap one").unwrap();
    terminal.until(" no ");
    signal(&terminal.child, "-INT");
    let (code, screen) = terminal.end();
    assert_eq!(code, 3, "{screen}");
    assert_eq!(screen.lines().count(), 2, "{screen}");
}
