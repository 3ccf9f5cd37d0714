//! Definitions and namespaces that were applied, until others can be put into them.

use kelson_plan::{Event, Found, Outcome, Refusal, Step};
use kelson_yaml::Node;
use serde_json::Value;

use super::{Done, Effect, Work, is_definition, is_namespace};
use crate::request::Request;
use crate::wait::{self, Patience, Pauses, Unfinished};

impl Work<'_> {
    /// What came of a step whose object was applied, when it can be used.
    pub(super) async fn established(&self, step: &Step, outcome: Outcome, found: Found) -> Done {
        let effect = Effect::holds(&found);
        let usable = if is_definition(step) {
            self.definition(step, found.object.node).await
        } else if is_namespace(step) && outcome != Outcome::Released {
            self.namespace(step, found.object.node).await
        } else {
            Ok(())
        };
        match usable {
            Ok(()) => Done { outcome, effect },
            Err(refusal) => Done::failed(refusal, effect),
        }
    }

    async fn namespace(&self, step: &Step, node: Node) -> Result<(), Refusal> {
        let phase = |node: &Node| node.lookup(&["status", "phase"])?.as_str().map(str::to_owned);
        let active = |seen: Option<&Node>| match seen.and_then(phase).as_deref() {
            Some("Active") => Some(Ok(())),
            Some("Terminating") => Some(Err("it is being deleted")),
            _ => seen.is_none().then_some(Err("it was deleted again")),
        };
        self.until(step, node, "active", active).await
    }

    async fn definition(&self, step: &Step, node: Node) -> Result<(), Refusal> {
        let places = places(&node);
        let established = |seen: Option<&Node>| match seen {
            None => Some(Err("it was deleted again")),
            Some(node) => {
                (is_true(node, "Established") && is_true(node, "NamesAccepted")).then_some(Ok(()))
            }
        };
        self.until(step, node, "established", established).await?;
        self.served(&places).await
    }

    async fn until(
        &self,
        step: &Step,
        node: Node,
        what: &'static str,
        mut done: impl FnMut(Option<&Node>) -> Option<Result<(), &'static str>>,
    ) -> Result<(), Refusal> {
        let patience = Patience::new(self.options.established, self.stop);
        let mut is_told = false;
        let told = |seen: Option<&Node>| {
            let is_done = done(seen);
            if is_done.is_none() && !is_told {
                is_told = true;
                self.listener.hear(&Event::Waiting { id: step.id.clone(), until: what });
            }
            is_done
        };
        let object = (&step.kind, &step.id);
        match wait::until(self.cluster, object, Some(node), &patience, self.listener, told).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(why)) => Err(unusable(why.to_owned())),
            Err(Unfinished::Refused(refusal)) => Err(refusal),
            Err(Unfinished::Late(seen)) => {
                let why = seen.as_deref().map(conditions).unwrap_or_default();
                Err(unusable(format!("it was applied, but is not {what}{why}")))
            }
        }
    }

    /// Waits until the server lists the kind of a definition: that it is established and that it is served are two things.
    async fn served(&self, places: &[(String, String)]) -> Result<(), Refusal> {
        let patience = Patience::new(self.options.established, self.stop);
        for (path, plural) in places {
            let mut pauses = Pauses::new();
            loop {
                let answer = self.cluster.send(&Request::get(path.as_str()), self.listener).await;
                let list = answer.ok().and_then(|answer| serde_json::from_str(&answer.text).ok());
                if list.is_some_and(|list| lists(&list, plural)) {
                    break;
                }
                if patience.left().is_none() {
                    return Err(unusable(format!(
                        "it is established, but `{path}` does not serve it"
                    )));
                }
                patience.sleep(pauses.next(), std::future::pending()).await;
            }
        }
        Ok(())
    }
}

fn unusable(message: String) -> Refusal {
    Refusal { reason: "NotEstablished".to_owned(), message, ..Refusal::default() }
}

/// Where a definition's kind is listed: one address for each version that is served, and its plural.
fn places(node: &Node) -> Vec<(String, String)> {
    let text = |path: &[&str]| node.lookup(path).and_then(Node::as_str);
    let (Some(group), Some(plural)) =
        (text(&["spec", "group"]), text(&["spec", "names", "plural"]))
    else {
        return Vec::new();
    };
    let versions = node.lookup(&["spec", "versions"]).and_then(Node::as_sequence);
    versions
        .unwrap_or_default()
        .iter()
        .filter(|version| version.get("served").and_then(Node::text) == Some("true"))
        .filter_map(|version| version.get("name")?.as_str())
        .map(|version| (format!("/apis/{group}/{version}"), plural.to_owned()))
        .collect()
}

fn lists(list: &Value, plural: &str) -> bool {
    let resources = list["resources"].as_array().map(Vec::as_slice).unwrap_or_default();
    resources.iter().any(|resource| resource["name"] == plural)
}

fn is_true(node: &Node, condition: &str) -> bool {
    let conditions = node.lookup(&["status", "conditions"]).and_then(Node::as_sequence);
    let text = |node: &Node, key: &str| node.get(key).and_then(Node::as_str).map(str::to_owned);
    conditions.unwrap_or_default().iter().any(|known| {
        text(known, "type").as_deref() == Some(condition)
            && text(known, "status").as_deref() == Some("True")
    })
}

/// The conditions that are not met, for people.
fn conditions(node: &Node) -> String {
    let conditions = node.lookup(&["status", "conditions"]).and_then(Node::as_sequence);
    let text = |node: &Node, key: &str| {
        node.get(key).and_then(Node::as_str).unwrap_or_default().to_owned()
    };
    let unmet =
        conditions.unwrap_or_default().iter().filter(|known| text(known, "status") == "False");
    unmet.map(|known| format!("; {}: {}", text(known, "type"), text(known, "message"))).collect()
}
