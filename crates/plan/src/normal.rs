//! Objects as a server takes them: what only a server writes is taken out, and keys of lists that a server would fill in
//! are filled in. As Flux does it before an apply, where that makes a difference.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use kelson_yaml::Node;

/// Brings an object into the form in which it is sent.
pub fn normalize(object: &mut Node) {
    let (group, kind) = kind_of(object);
    let is_definition = group == "apiextensions.k8s.io" && kind == "CustomResourceDefinition";
    remove_server_fields(object, is_definition);
    if is_definition {
        remove_bad_ca_bundle(object);
        return;
    }
    match (group.as_str(), kind.as_str()) {
        ("", "Secret") => move_string_data(object),
        ("", "Service") => add_protocols(at_mut(object, &["spec", "ports"])),
        ("", "Pod") => add_container_protocols(at_mut(object, &["spec"])),
        ("apps", "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet") | ("batch", "Job") => {
            add_container_protocols(at_mut(object, &["spec", "template", "spec"]));
        }
        ("batch", "CronJob") => {
            let path = ["spec", "jobTemplate", "spec", "template", "spec"];
            add_container_protocols(at_mut(object, &path));
        }
        _ => {}
    }
}

/// Takes out of a server's answer what it says twice: some versions repeat or leave empty the metrics of an autoscaler.
pub fn normalize_dry_run(object: &mut Node) {
    let (group, kind) = kind_of(object);
    if (group.as_str(), kind.as_str()) != ("autoscaling", "HorizontalPodAutoscaler") {
        return;
    }
    let Some(metrics) = at_mut(object, &["spec", "metrics"]).and_then(Node::as_sequence_mut) else {
        return;
    };
    let mut known = std::collections::HashSet::new();
    metrics.retain(|metric| {
        let is_empty = metric.as_mapping().is_some_and(|metric| metric.is_empty());
        !is_empty && known.insert(crate::Hash::of(metric))
    });
}

fn kind_of(object: &Node) -> (String, String) {
    let text = |key| object.get(key).and_then(Node::as_str).unwrap_or_default();
    let group = text("apiVersion").split_once('/').map_or("", |(group, _)| group);
    (group.to_owned(), text("kind").to_owned())
}

/// Metadata that only a server writes. In a manifest it is left over from an export, and a server refuses some of it.
const SERVER_METADATA: [&str; 6] =
    ["creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid"];

fn remove_server_fields(object: &mut Node, is_definition: bool) {
    let Some(mapping) = object.as_mapping_mut() else { return };
    // Definitions are often shipped with a status; the server leaves it aside, and so Flux keeps it.
    if !is_definition {
        mapping.remove("status");
    }
    if let Some(metadata) = mapping.get_mut("metadata").and_then(Node::as_mapping_mut) {
        metadata
            .entries
            .retain(|entry| !entry.key.text().is_some_and(|key| SERVER_METADATA.contains(&key)));
    }
}

/// `stringData` becomes `data`: the server does the same and never says again who owned the former. Where one of its values is no
/// text, it is left for the server to refuse.
fn move_string_data(secret: &mut Node) {
    let Some(mapping) = secret.as_mapping_mut() else { return };
    let Some(given) = mapping.get("stringData") else { return };
    let texts: Option<Vec<(String, String)>> = match given.as_mapping() {
        Some(given) => given
            .iter()
            .map(|entry| {
                let (key, value) = (entry.key.text()?, entry.value.as_str()?);
                Some((key.to_owned(), BASE64_STANDARD.encode(value)))
            })
            .collect(),
        None => given.is_null().then(Vec::new),
    };
    let Some(texts) = texts else { return };
    let has_data = mapping.get("data").is_some_and(|data| data.as_mapping().is_some());
    if mapping.get("data").is_some_and(|data| !has_data && !data.is_null()) {
        return;
    }
    mapping.remove("stringData");
    if texts.is_empty() {
        return;
    }
    if !has_data {
        mapping.insert(Node::string("data"), Node::mapping(Vec::new()));
    }
    if let Some(data) = mapping.get_mut("data").and_then(Node::as_mapping_mut) {
        for (key, value) in texts {
            data.insert(Node::string(key), Node::string(value));
        }
    }
}

fn add_container_protocols(pod: Option<&mut Node>) {
    let containers = pod.and_then(|pod| pod.get_mut("containers"));
    for container in containers.and_then(Node::as_sequence_mut).into_iter().flatten() {
        add_protocols(container.get_mut("ports"));
    }
}

/// The protocol is a part of the key by which ports are told apart.
fn add_protocols(ports: Option<&mut Node>) {
    let ports = ports.and_then(Node::as_sequence_mut).into_iter().flatten();
    for port in ports.filter_map(Node::as_mapping_mut) {
        let is_given =
            port.get("protocol").is_some_and(|it| !it.is_null() && it.text() != Some(""));
        if !is_given {
            port.insert(Node::string("protocol"), Node::string("TCP"));
        }
    }
}

/// A certificate that is a mere placeholder would make the definition useless; whoever fills it in later does so
/// undisturbed if it is not sent.
fn remove_bad_ca_bundle(definition: &mut Node) {
    let path = ["spec", "conversion", "webhook", "clientConfig"];
    let Some(config) = at_mut(definition, &path).and_then(Node::as_mapping_mut) else { return };
    let bundle = config.get("caBundle").and_then(Node::text).filter(|bundle| !bundle.is_empty());
    if bundle.is_some_and(|bundle| !is_ca_bundle(bundle)) {
        config.remove("caBundle");
    }
}

/// Whether a text is base64 of certificates in PEM, at least by their outer form.
fn is_ca_bundle(text: &str) -> bool {
    const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
    const END: &str = "-----END CERTIFICATE-----";
    let bytes = BASE64_STANDARD.decode(text.split_ascii_whitespace().collect::<String>());
    let Some(pem) = bytes.ok().and_then(|bytes| String::from_utf8(bytes).ok()) else {
        return false;
    };
    let mut blocks = pem.split(BEGIN).skip(1).peekable();
    blocks.peek().is_some()
        && blocks.all(|block| {
            let body = block.split(END).next().unwrap_or_default();
            let body = BASE64_STANDARD.decode(body.split_ascii_whitespace().collect::<String>());
            block.contains(END) && body.is_ok_and(|der| is_der_sequence(&der))
        })
}

/// Whether bytes are one DER sequence and nothing else.
fn is_der_sequence(der: &[u8]) -> bool {
    let (length, start) = match der {
        [0x30, short @ 0..=0x7f, ..] => (usize::from(*short), 2),
        [0x30, 0x81, a, ..] => (usize::from(*a), 3),
        [0x30, 0x82, a, b, ..] => (usize::from(*a) << 8 | usize::from(*b), 4),
        _ => return false,
    };
    der.len() == start + length
}

fn at_mut<'a>(node: &'a mut Node, path: &[&str]) -> Option<&'a mut Node> {
    path.iter().try_fold(node, |node, key| node.get_mut(key))
}

/// Sets labels, making room for them; `false` where what is there is no mapping.
pub(crate) fn set_labels(object: &mut Node, labels: &[(&str, &str)]) -> bool {
    let Some(metadata) = object.get_mut("metadata").and_then(Node::as_mapping_mut) else {
        return false;
    };
    if metadata.get("labels").is_none_or(Node::is_null) {
        metadata.insert(Node::string("labels"), Node::mapping(Vec::new()));
    }
    let Some(known) = metadata.get_mut("labels").and_then(Node::as_mapping_mut) else {
        return false;
    };
    for (key, value) in labels {
        known.insert(Node::string(*key), Node::string(*value));
    }
    true
}

/// Sets the namespace of an object, or takes it away.
pub(crate) fn set_namespace(object: &mut Node, namespace: Option<&str>) {
    let Some(metadata) = object.get_mut("metadata").and_then(Node::as_mapping_mut) else { return };
    match namespace {
        Some(namespace) => {
            metadata.insert(Node::string("namespace"), Node::string(namespace));
        }
        None => {
            metadata.remove("namespace");
        }
    }
}

#[cfg(test)]
mod tests {
    use kelson_yaml::{Dialect, Span, emit, first_document};

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut node = first_document(text, Span::NONE, Dialect::V3).unwrap().unwrap();
        normalize(&mut node);
        let mut actual = String::new();
        emit::styled(&node, &mut actual).unwrap();
        assert_eq!(actual.trim_end(), expected);
    }

    #[test]
    fn what_is_not_as_it_should_be_is_left_for_the_server_to_refuse() {
        for text in [
            "{apiVersion: v1, kind: Secret, stringData: {a: 1}}",
            "{apiVersion: v1, kind: Secret, stringData: [a]}",
            "{apiVersion: v1, kind: Secret, data: x, stringData: {a: b}}",
            "{apiVersion: v1, kind: Service, spec: {ports: x}}",
            "{apiVersion: v1, kind: Pod, spec: {containers: [x]}}",
            "{apiVersion: v1, kind: Pod, metadata: x}",
            "[a]",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn a_certificate_is_kept_and_a_placeholder_is_not() {
        let definition = |bundle: &str| {
            format!(
                "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {{conversion: {{webhook: {{clientConfig: {{{bundle}}}}}}}}}}}"
            )
        };
        let pem = |der: &[u8]| {
            let body = BASE64_STANDARD.encode(der);
            let pem = format!("-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n");
            definition(&format!("caBundle: {}", BASE64_STANDARD.encode(pem)))
        };
        let good = pem(&[0x30, 2, 5, 0]);
        check(&good, &good);
        for bad in [
            pem(&[0x30, 9, 5, 0]),
            pem(b""),
            definition("caBundle: Cg=="),
            definition("caBundle: not base64"),
        ] {
            check(&bad, &definition(""));
        }
    }
}
