//! A definition, and resources of its kind with what is wrong with them: our check and the API server are both held to it.

/// A definition with one field for each thing that a schema can ask for.
pub(crate) const DEFINITION: &str = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things, singular: thing, listKind: ThingList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [size, filled]
            properties:
              size: {type: integer, minimum: 1, maximum: 10}
              small: {type: integer, format: int32}
              even: {type: integer, multipleOf: 2}
              open: {type: number, minimum: 0, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: true}
              mode: {type: string, enum: [fast, slow]}
              level: {type: integer, enum: [1, 2]}
              name: {type: string, pattern: '^[a-z]+$', minLength: 2, maxLength: 4}
              active: {type: boolean}
              port: {x-kubernetes-int-or-string: true}
              quantity: {x-kubernetes-int-or-string: true, pattern: '^[0-9]+(Mi)?$', anyOf: [{type: integer}, {type: string}]}
              maybe: {type: string, nullable: true}
              sure: {type: string}
              filled: {type: string, default: x}
              tags: {type: array, minItems: 1, maxItems: 2, items: {type: string}}
              set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
              labels: {type: object, minProperties: 1, maxProperties: 2, additionalProperties: {type: string}}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: integer}, o: {type: object, properties: {b: {type: integer}}}}}
              bare: {type: object}
              any: {x-kubernetes-preserve-unknown-fields: true}
              parts:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items: {type: object, required: [name], properties: {name: {type: string}, count: {type: integer}}}
              ports:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name, port]
                items: {type: object, required: [name], properties: {name: {type: string}, port: {type: integer, default: 80}}}
              embedded: {type: object, x-kubernetes-embedded-resource: true, properties: {spec: {type: object, properties: {x: {type: integer}}}}}
              either: {type: object, properties: {a: {type: string}, b: {type: string}}, oneOf: [{required: [a]}, {required: [b]}]}
              some: {type: object, properties: {a: {type: string}, b: {type: string}}, anyOf: [{required: [a]}, {required: [b]}]}
              both: {type: object, properties: {a: {type: integer}, b: {type: string}}, allOf: [{required: [a]}, {properties: {a: {minimum: 3}}}]}
              never: {type: object, properties: {a: {type: string}}, not: {required: [a]}}
"#;

/// The rest of a resource, and its faults, one in a line; none where it is accepted.
pub(crate) const CASES: &[(&str, &str)] = &[
    // Fields that must be there, unless they have a default.
    ("spec: {size: 1}", ""),
    ("", "spec: Required value"),
    ("spec: {}", "spec.size: Required value"),
    ("spec: {size: 1, filled: null}", ""),
    // Types.
    ("spec: x", "spec: expected map, got string"),
    ("spec: {size: x}", "spec.size: expected numeric (int or float), got string"),
    ("spec: {size: true}", "spec.size: expected numeric (int or float), got bool"),
    ("spec: {size: 1.0}", ""),
    (
        "spec: {size: 1.5}",
        "spec.size: Invalid value: \"number\": spec.size in body must be of type integer: \"number\"",
    ),
    ("spec: {size: 1, mode: 3}", "spec.mode: expected string, got integer"),
    ("spec: {size: 1, active: 'yes'}", "spec.active: expected boolean, got string"),
    ("spec: {size: 1, tags: a}", "spec.tags: expected list, got string"),
    ("spec: {size: 1, tags: [1]}", "spec.tags[0]: expected string, got integer"),
    ("spec: {size: 1, labels: []}", "spec.labels: expected map, got list"),
    ("spec: {size: 1, labels: {a: 1}}", "spec.labels.a: expected string, got integer"),
    ("spec: {size: 1, port: 80}", ""),
    ("spec: {size: 1, port: http}", ""),
    (
        "spec: {size: 1, port: true}",
        "spec.port: Invalid value: \"boolean\": spec.port in body must be of type integer,string: \"boolean\"",
    ),
    ("spec: {size: 1, maybe: null}", ""),
    (
        "spec: {size: 1, sure: null}",
        "spec.sure: Invalid value: \"null\": spec.sure in body must be of type string: \"null\"",
    ),
    (
        "spec: {size: 1, tags: [null]}",
        "spec.tags[0]: Invalid value: \"null\": spec.tags[0] in body must be of type string: \"null\"",
    ),
    ("spec: {size: 1, any: [1, {a: null}]}", ""),
    // Numbers.
    (
        "spec: {size: 0}",
        "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1",
    ),
    (
        "spec: {size: 11}",
        "spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10",
    ),
    (
        "spec: {size: 1, open: 0}",
        "spec.open: Invalid value: 0: spec.open in body should be greater than 0",
    ),
    (
        "spec: {size: 1, open: 5}",
        "spec.open: Invalid value: 5: spec.open in body should be less than 5",
    ),
    ("spec: {size: 1, open: 0.5}", ""),
    (
        "spec: {size: 1, even: 3}",
        "spec.even: Invalid value: 3: spec.even in body should be a multiple of 2",
    ),
    (
        "spec: {size: 1, small: 3000000000}",
        "spec.small: Checked value must be of type integer with format int32",
    ),
    (
        "spec: {size: 1, level: 3}",
        "spec.level: Unsupported value: 3: supported values: \"1\", \"2\"",
    ),
    // Texts.
    (
        "spec: {size: 1, mode: x}",
        "spec.mode: Unsupported value: \"x\": supported values: \"fast\", \"slow\"",
    ),
    (
        "spec: {size: 1, name: A}",
        "spec.name: Invalid value: \"A\": spec.name in body should be at least 2 chars long",
    ),
    ("spec: {size: 1, name: abcde}", "spec.name: Too long: may not be more than 4 bytes"),
    (
        "spec: {size: 1, name: ABC}",
        "spec.name: Invalid value: \"ABC\": spec.name in body should match '^[a-z]+$'",
    ),
    ("spec: {size: 1, quantity: 12Mi}", ""),
    ("spec: {size: 1, quantity: 12}", ""),
    (
        "spec: {size: 1, quantity: 12m}",
        "spec.quantity: Invalid value: \"12m\": spec.quantity in body should match '^[0-9]+(Mi)?$'",
    ),
    // Lists and maps.
    (
        "spec: {size: 1, tags: []}",
        "spec.tags: Invalid value: 0: spec.tags in body should have at least 1 items",
    ),
    ("spec: {size: 1, tags: [a, b, c]}", "spec.tags: Too many: 3: must have at most 2 items"),
    (
        "spec: {size: 1, labels: {}}",
        "spec.labels: Invalid value: 0: spec.labels in body should have at least 1 properties",
    ),
    (
        "spec: {size: 1, labels: {a: x, b: x, c: x}}",
        "spec.labels: Too many: 3: must have at most 2 items",
    ),
    ("spec: {size: 1, set: [a, b, a]}", "spec.set: duplicate entries for key [=\"a\"]"),
    (
        "spec: {size: 1, parts: [{name: a}, {name: a}]}",
        "spec.parts: duplicate entries for key [name=\"a\"]",
    ),
    (
        "spec: {size: 1, parts: [{count: 1}]}",
        "spec.parts: element 0: associative list with keys has an element that omits all key fields [\"name\"] (and doesn't have default values for any key fields)\nspec.parts[0].name: Required value",
    ),
    (
        "spec: {size: 1, ports: [{name: a}, {name: a, port: 80}]}",
        "spec.ports: duplicate entries for key [name=\"a\",port=80]",
    ),
    ("spec: {size: 1, ports: [{name: a}, {name: a, port: 81}]}", ""),
    // Fields that nobody declares.
    ("spec: {size: 1, other: 1}", "spec.other: field not declared in schema"),
    ("spec: {size: 1}, other: 1", "other: field not declared in schema"),
    ("spec: {size: 1, free: {other: {a: 1}, o: {c: 1}}}", ""),
    ("spec: {size: 1, free: {a: x}}", "spec.free.a: expected numeric (int or float), got string"),
    ("spec: {size: 1, bare: {a: 1}}", ""),
    // An object in an object.
    ("spec: {size: 1, embedded: {apiVersion: v1, kind: X, metadata: {name: a}, spec: {x: 1}}}", ""),
    (
        "spec: {size: 1, embedded: {apiVersion: '', kind: X}}",
        "spec.embedded.apiVersion: Invalid value: \"\": must not be empty",
    ),
    (
        "spec: {size: 1, embedded: {apiVersion: v1, kind: X, metadata: x}}",
        "spec.embedded.metadata: expected map, got string",
    ),
    (
        "spec: {size: 1, embedded: {apiVersion: v1, kind: X, metadata: {finalizers: x}}}",
        "spec.embedded.metadata.finalizers: expected list, got string",
    ),
    (
        "spec: {size: 1, embedded: {}}",
        "spec.embedded.apiVersion: Required value\nspec.embedded.kind: Required value",
    ),
    (
        "spec: {size: 1, embedded: {apiVersion: v1, kind: X, metadata: {other: a}}}",
        "spec.embedded.metadata.other: field not declared in schema",
    ),
    (
        "spec: {size: 1, embedded: {apiVersion: v1, kind: X, spec: {other: 1}}}",
        "spec.embedded.spec.other: field not declared in schema",
    ),
    // Several schemas.
    ("spec: {size: 1, either: {a: x}}", ""),
    (
        "spec: {size: 1, either: {}}",
        "spec.either: must validate one and only one schema (oneOf). Found none valid\nspec.either.a: Required value",
    ),
    (
        "spec: {size: 1, either: {a: x, b: x}}",
        "spec.either: must validate one and only one schema (oneOf). Found 2 valid alternatives",
    ),
    (
        "spec: {size: 1, some: {}}",
        "spec.some: must validate at least one schema (anyOf)\nspec.some.a: Required value",
    ),
    (
        "spec: {size: 1, both: {a: 1}}",
        "spec.both.a: Invalid value: 1: spec.both.a in body should be greater than or equal to 3\nspec.both: must validate all the schemas (allOf)",
    ),
    ("spec: {size: 1, never: {a: x}}", "spec.never: must not validate the schema (not)"),
    // Several faults at once.
    (
        "spec: {size: 0, mode: x, name: A}",
        "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1\nspec.mode: Unsupported value: \"x\": supported values: \"fast\", \"slow\"\nspec.name: Invalid value: \"A\": spec.name in body should be at least 2 chars long",
    ),
];
