//! Fields that only a new object can have otherwise.

use crate::Refusal;

/// What servers say, in small letters, of a field that cannot be changed.
const PHRASES: [&str; 9] = [
    "is immutable",
    "immutable field",
    "may not be changed",
    "may not change",
    "cannot be changed",
    "cannot change",
    "can not change",
    "updates to statefulset spec for fields other than",
    "may not be modified",
];

/// The fields that a refusal says cannot be changed. Nothing where anything else is wrong too: then a new object
/// would be refused as well, and deleting the old one would only lose it.
pub(crate) fn fields(refusal: &Refusal) -> Vec<String> {
    if refusal.code != 422 {
        return Vec::new();
    }
    if refusal.causes.is_empty() {
        return if is_immutable(&refusal.message) {
            vec!["a field".to_owned()]
        } else {
            Vec::new()
        };
    }
    if !refusal.causes.iter().all(|cause| is_immutable(&cause.message)) {
        return Vec::new();
    }
    let mut fields: Vec<String> = refusal.causes.iter().map(|cause| cause.field.clone()).collect();
    fields.dedup();
    fields
}

fn is_immutable(message: &str) -> bool {
    // A value that was refused is quoted before what is said of it, a difference after it; both may say anything.
    let said = match message.strip_prefix("Forbidden: ") {
        Some(said) => said.lines().next().unwrap_or_default(),
        None => message.rsplit_once(": ").map_or(message, |(_, said)| said),
    };
    let message = said.to_lowercase();
    let is_update = message.contains("updates to ") && message.contains("forbidden");
    is_update || PHRASES.iter().any(|phrase| message.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cause;

    #[track_caller]
    fn check(code: u16, causes: &[(&str, &str)], expected: &[&str]) {
        let cause = |(field, message): &(&str, &str)| Cause {
            reason: "FieldValueInvalid".to_owned(),
            field: (*field).to_owned(),
            message: (*message).to_owned(),
        };
        let causes = causes.iter().map(cause).collect();
        assert_eq!(fields(&Refusal { code, causes, ..Refusal::default() }), expected);
    }

    #[test]
    fn servers_are_understood() {
        for (field, message) in [
            ("spec.selector", "Invalid value: {\"matchLabels\":{\"a\":\"b\"}}: field is immutable"),
            ("roleRef", "Invalid value: {\"kind\":\"Role\"}: cannot change roleRef"),
            (
                "spec",
                "Forbidden: spec is immutable after creation except resources.requests\n  X{\n  A: 1,\n",
            ),
            (
                "spec",
                "Forbidden: updates to statefulset spec for fields other than 'replicas', 'template' are forbidden",
            ),
            ("parameters", "Forbidden: updates to parameters are forbidden."),
            ("provisioner", "Forbidden: updates to provisioner are forbidden."),
            ("spec.clusterIPs[0]", "Invalid value: [\"10.0.0.5\"]: may not change once set"),
            ("data", "Forbidden: field is immutable when `immutable` is set"),
            (
                "spec",
                "Forbidden: pod updates may not change fields other than `spec.containers[*].image`",
            ),
        ] {
            check(422, &[(field, message)], &[field]);
        }
    }

    #[test]
    fn what_is_wrong_anyway_is_not_mended_by_a_new_object() {
        let immutable = ("spec.selector", "field is immutable");
        check(422, &[immutable, ("spec.replicas", "Invalid value: -1: must be at least 0")], &[]);
        check(422, &[("a", "Invalid value: \"field is immutable\": must be a number")], &[]);
        check(403, &[immutable], &[]);
        check(422, &[], &[]);
    }
}
