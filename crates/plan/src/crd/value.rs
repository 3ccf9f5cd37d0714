//! One value against one schema.

use kelson_yaml::{Data, Mapping, Node, Tag};
use regex::Regex;

use super::{MOST, below, is_true, lists, shown, text};

/// How deep values are looked at; what lies deeper is left to the server.
const DEEPEST: usize = 100;

/// What was found so far.
#[derive(Default)]
pub(super) struct Check {
    pub(super) faults: Vec<String>,
    depth: usize,
}

impl Check {
    /// Checks a value. `keeps` says that something above takes fields that it does not declare.
    pub(super) fn value(&mut self, node: &Node, schema: &Node, path: &str, keeps: bool) {
        if self.faults.len() >= MOST || self.depth >= DEEPEST {
            return;
        }
        self.depth += 1;
        if self.has_type(node, schema, path) {
            self.enumerated(node, schema, path);
            match &node.data {
                Data::Scalar(_) if node.is_null() => {}
                Data::Scalar(_) if node.as_str().is_some() => self.string(node, schema, path),
                Data::Scalar(_) => self.number(node, schema, path),
                Data::Sequence(list) => self.list(&list.items, schema, path, keeps),
                Data::Mapping(mapping) => self.mapping(mapping, schema, path, keeps),
            }
            self.combined(node, schema, path);
        }
        self.depth -= 1;
    }

    fn fault(&mut self, path: &str, what: &str) {
        self.faults.push(format!("{path}: {what}"));
    }

    pub(super) fn undeclared(&mut self, path: &str) {
        self.fault(path, "field not declared in schema");
    }

    pub(super) fn unexpected(&mut self, node: &Node, expected: &str, path: &str) {
        let got = match type_of(node) {
            "object" => "map",
            "array" => "list",
            "boolean" => "bool",
            other => other,
        };
        self.fault(path, &format!("expected {expected}, got {got}"));
    }

    /// A rule that a value breaks, in the words of the API server.
    fn breaks(&mut self, path: &str, value: &str, rule: &str) {
        self.fault(path, &format!("Invalid value: {value}: {path} in body {rule}"));
    }

    /// Whether a value has the type that its schema declares. Whatever else is wrong with it depends on that.
    fn has_type(&mut self, node: &Node, schema: &Node, path: &str) -> bool {
        let is_either = is_true(schema, "x-kubernetes-int-or-string");
        let declared =
            if is_either { "integer,string" } else { text(schema, "type").unwrap_or("") };
        let found = type_of(node);
        let fits = match declared {
            "" => true,
            "integer,string" => matches!(found, "integer" | "string"),
            "number" => matches!(found, "integer" | "number"),
            _ => declared == found,
        };
        if fits || node.is_null() && takes_null(schema) {
            return fits;
        }
        match (declared, found) {
            // The server gets as far as its second step with these.
            (_, "null") | ("integer,string", _) | ("integer", "number") => {
                let rule = format!("must be of type {declared}: \"{found}\"");
                self.breaks(path, &format!("\"{found}\""), &rule);
            }
            ("integer" | "number", _) => self.unexpected(node, "numeric (int or float)", path),
            ("object", _) => self.unexpected(node, "map", path),
            ("array", _) => self.unexpected(node, "list", path),
            (other, _) => self.unexpected(node, other, path),
        }
        false
    }

    fn enumerated(&mut self, node: &Node, schema: &Node, path: &str) {
        let Some(known) = schema.get("enum").and_then(Node::as_sequence) else { return };
        let value = shown(node);
        if !known.iter().any(|one| shown(one) == value) {
            let known: Vec<String> = known
                .iter()
                .map(|one| one.text().map_or_else(|| shown(one), |text| format!("\"{text}\"")))
                .collect();
            let known = crate::stored::cropped(&known.join(", "));
            self.fault(path, &format!("Unsupported value: {value}: supported values: {known}"));
        }
    }

    fn string(&mut self, node: &Node, schema: &Node, path: &str) {
        let value = node.as_str().unwrap_or_default();
        let length = value.chars().count();
        if let Some(most) = limit(schema, "maxLength").filter(|most| length > *most) {
            self.fault(path, &format!("Too long: may not be more than {most} bytes"));
        } else if let Some(least) = limit(schema, "minLength").filter(|least| length < *least) {
            self.breaks(path, &shown(node), &format!("should be at least {least} chars long"));
        } else if let Some(pattern) = text(schema, "pattern")
            && Regex::new(pattern).is_ok_and(|regex| !regex.is_match(value))
        {
            self.breaks(path, &shown(node), &format!("should match '{pattern}'"));
        }
    }

    fn number(&mut self, node: &Node, schema: &Node, path: &str) {
        let Some(value) = node.text().and_then(|text| text.parse::<f64>().ok()) else { return };
        let bound = |key: &str| text(schema, key).and_then(|text| text.parse::<f64>().ok());
        let (is_open_above, is_open_below) =
            (is_true(schema, "exclusiveMaximum"), is_true(schema, "exclusiveMinimum"));
        let rule = match (bound("multipleOf"), bound("maximum"), bound("minimum")) {
            (Some(step), ..) if step > 0.0 && (value / step).fract() != 0.0 => {
                format!("should be a multiple of {step}")
            }
            (_, Some(most), _) if is_open_above && value >= most => {
                format!("should be less than {most}")
            }
            (_, Some(most), _) if value > most => format!("should be less than or equal to {most}"),
            (.., Some(least)) if is_open_below && value <= least => {
                format!("should be greater than {least}")
            }
            (.., Some(least)) if value < least => {
                format!("should be greater than or equal to {least}")
            }
            _ => String::new(),
        };
        if !rule.is_empty() {
            self.breaks(path, &shown(node), &rule);
        }
        let small = f64::from(i32::MIN)..=f64::from(i32::MAX);
        if text(schema, "format") == Some("int32") && !small.contains(&value) {
            self.fault(path, "Checked value must be of type integer with format int32");
        }
    }

    fn list(&mut self, items: &[Node], schema: &Node, path: &str, keeps: bool) {
        if let Some(least) = limit(schema, "minItems").filter(|least| items.len() < *least) {
            let rule = format!("should have at least {least} items");
            self.breaks(path, &items.len().to_string(), &rule);
        }
        self.too_many(items.len(), limit(schema, "maxItems"), path);
        for fault in lists::faults(items, schema) {
            self.fault(path, &fault);
        }
        let Some(schema) = schema.get("items") else { return };
        for (index, item) in items.iter().enumerate() {
            self.value(item, schema, &format!("{path}[{index}]"), keeps);
        }
    }

    fn too_many(&mut self, count: usize, most: Option<usize>, path: &str) {
        if let Some(most) = most.filter(|most| count > *most) {
            self.fault(path, &format!("Too many: {count}: must have at most {most} items"));
        }
    }

    fn mapping(&mut self, mapping: &Mapping, schema: &Node, path: &str, keeps: bool) {
        if let Some(least) = limit(schema, "minProperties").filter(|least| mapping.len() < *least) {
            let rule = format!("should have at least {least} properties");
            self.breaks(path, &mapping.len().to_string(), &rule);
        }
        self.too_many(mapping.len(), limit(schema, "maxProperties"), path);
        self.required(mapping, schema, path);
        let is_embedded = is_true(schema, "x-kubernetes-embedded-resource");
        if is_embedded {
            self.embedded(mapping, path);
        }
        let keeps = keeps || is_true(schema, "x-kubernetes-preserve-unknown-fields");
        let properties = schema.get("properties").and_then(Node::as_mapping);
        let additional = schema.get("additionalProperties");
        for entry in mapping {
            let key = entry.key.text().unwrap_or_default();
            let declared = properties.and_then(|properties| properties.get(key));
            let declared = declared.or(additional).filter(|schema| schema.as_mapping().is_some());
            // What every object has is known without a schema.
            let is_object = is_embedded || path.is_empty();
            let is_metadata = is_object && matches!(key, "apiVersion" | "kind" | "metadata");
            match declared {
                Some(schema) => self.value(&entry.value, schema, &below(path, key), keeps),
                // What declares nothing at all is cut by the server in silence.
                None if keeps || is_metadata || additional.is_some() || properties.is_none() => {}
                None => self.undeclared(&below(path, key)),
            }
        }
    }

    /// Fields that must be there. What has a default is there before the server looks.
    fn required(&mut self, mapping: &Mapping, schema: &Node, path: &str) {
        let required = schema.get("required").and_then(Node::as_sequence).unwrap_or_default();
        for key in required.iter().filter_map(Node::text) {
            let has_default =
                schema.lookup(&["properties", key, "default"]).is_some_and(|node| !node.is_null());
            if !mapping.contains(key) && !has_default {
                self.fault(&below(path, key), "Required value");
            }
        }
    }

    /// A whole object in a field of another.
    fn embedded(&mut self, mapping: &Mapping, path: &str) {
        for key in ["apiVersion", "kind"] {
            match mapping.get(key) {
                None => self.fault(&below(path, key), "Required value"),
                Some(node) if node.as_str() == Some("") => {
                    self.fault(&below(path, key), "Invalid value: \"\": must not be empty");
                }
                Some(node) if node.as_str().is_none() => {
                    self.unexpected(node, "string", &below(path, key));
                }
                Some(_) => {}
            }
        }
        self.metadata(mapping.get("metadata"), path);
    }

    /// `allOf`, `anyOf`, `oneOf` and `not`.
    fn combined(&mut self, node: &Node, schema: &Node, path: &str) {
        let schemas = |key: &str| schema.get(key).and_then(Node::as_sequence).unwrap_or_default();
        let results = |check: &Self, key: &str| -> Vec<Vec<String>> {
            schemas(key).iter().map(|schema| check.apart(node, schema, path)).collect()
        };
        let all: Vec<String> = results(self, "allOf").concat();
        if !all.is_empty() {
            self.faults.extend(all);
            self.fault(path, "must validate all the schemas (allOf)");
        }
        let any = results(self, "anyOf");
        if !any.is_empty() && any.iter().all(|faults| !faults.is_empty()) {
            self.fault(path, "must validate at least one schema (anyOf)");
            self.faults.extend(nearest(any));
        }
        let one = results(self, "oneOf");
        let valid = one.iter().filter(|faults| faults.is_empty()).count();
        if !one.is_empty() && valid != 1 {
            let found = match valid {
                0 => "none valid".to_owned(),
                _ => format!("{valid} valid alternatives"),
            };
            let text = format!("must validate one and only one schema (oneOf). Found {found}");
            self.fault(path, &text);
            self.faults.extend(nearest(one));
        }
        let not = schema.get("not").filter(|not| self.apart(node, not, path).is_empty());
        if not.is_some() {
            self.fault(path, "must not validate the schema (not)");
        }
    }

    /// What one of several schemas has to say.
    fn apart(&self, node: &Node, schema: &Node, path: &str) -> Vec<String> {
        let mut check = Self { faults: Vec::new(), depth: self.depth };
        check.value(node, schema, path, true);
        check.faults
    }
}

/// The faults of the alternative that has the fewest; none where one has none.
fn nearest(alternatives: Vec<Vec<String>>) -> Vec<String> {
    alternatives.into_iter().min_by_key(Vec::len).unwrap_or_default()
}

/// Whether `null` passes: it is allowed, or the server puts a default in its place.
fn takes_null(schema: &Node) -> bool {
    is_true(schema, "nullable") || schema.get("default").is_some_and(|node| !node.is_null())
}

fn limit(schema: &Node, key: &str) -> Option<usize> {
    text(schema, key)?.parse().ok()
}

/// The type of a value, as a schema names it. A number without a fraction is a whole one, however it is written.
fn type_of(node: &Node) -> &'static str {
    match &node.data {
        Data::Mapping(_) => "object",
        Data::Sequence(_) => "array",
        Data::Scalar(scalar) => match scalar.resolved() {
            Tag::Null => "null",
            Tag::Bool => "boolean",
            Tag::Int | Tag::Float if is_whole(&scalar.text) => "integer",
            Tag::Int | Tag::Float => "number",
            _ => "string",
        },
    }
}

fn is_whole(text: &str) -> bool {
    let whole = |float: f64| float.fract() == 0.0 && float.abs() < 9.2e18;
    text.parse::<i64>().is_ok() || text.contains(['.', 'e', 'E']) && text.parse().is_ok_and(whole)
}
