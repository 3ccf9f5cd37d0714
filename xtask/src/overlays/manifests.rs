//! Objects of many kinds that refer to each other by name.

use super::dice::Dice;
use super::references;
use super::scalars;
use super::value::{Value, list, map, raw, text};

/// What later layers need to know to find an object again.
#[derive(Clone)]
pub(super) struct Object {
    pub(super) api_version: &'static str,
    pub(super) kind: &'static str,
    /// Name and namespace as first written.
    pub(super) name: String,
    pub(super) namespace: Option<String>,
    /// Keys of its data, for those that have some.
    pub(super) keys: Vec<String>,
    /// Whether two objects of the tree were first written with this id.
    pub(super) ambiguous: bool,
}

/// The kinds a base may hold, the frequent ones several times.
const KINDS: &[(&str, &str)] = &[
    ("apps/v1", "Deployment"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "StatefulSet"),
    ("apps/v1", "DaemonSet"),
    ("apps/v1", "ReplicaSet"),
    ("batch/v1", "Job"),
    ("batch/v1", "CronJob"),
    ("v1", "Pod"),
    ("v1", "Service"),
    ("v1", "Service"),
    ("v1", "ConfigMap"),
    ("v1", "ConfigMap"),
    ("v1", "ConfigMap"),
    ("v1", "Secret"),
    ("v1", "ServiceAccount"),
    ("rbac.authorization.k8s.io/v1", "Role"),
    ("rbac.authorization.k8s.io/v1", "ClusterRole"),
    ("rbac.authorization.k8s.io/v1", "RoleBinding"),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"),
    ("networking.k8s.io/v1", "Ingress"),
    ("networking.k8s.io/v1", "NetworkPolicy"),
    ("policy/v1", "PodDisruptionBudget"),
    ("autoscaling/v2", "HorizontalPodAutoscaler"),
    ("v1", "PersistentVolumeClaim"),
    ("v1", "PersistentVolume"),
    ("storage.k8s.io/v1", "StorageClass"),
    ("scheduling.k8s.io/v1", "PriorityClass"),
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
    ("v1", "Namespace"),
    ("v1", "Node"),
    ("v1", "ReplicationController"),
    ("extensions/v1beta1", "Ingress"),
    ("networking.k8s.io/v1", "IngressClass"),
    ("apiregistration.k8s.io/v1", "APIService"),
    ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"),
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"),
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding"),
    ("example.com/v1", "Foo"),
    ("example.com/v1", "Foo"),
    ("example.com/v2", "Bar"),
];

/// Images that occur in manifests and, without their tags, in `images` entries.
pub(super) const IMAGES: &[&str] =
    &["nginx", "registry.example.com:5000/team/app", "busybox", "localhost:5000/x", "ghcr.io/a/b"];

impl Object {
    /// An object of a random kind.
    pub(super) fn random(dice: &mut Dice, name: String) -> Self {
        let (api_version, kind) = KINDS[dice.below(KINDS.len())];
        let mut object = Self::new(api_version, kind, name);
        if !object.is_cluster_scoped() && dice.chance(12) {
            object.namespace = Some(dice.pick(&["one", "two", "default"]).to_owned());
        }
        if matches!(kind, "ConfigMap" | "Secret") {
            object.keys = (0..dice.below(5)).map(|_| scalars::key(dice)).collect();
            object.keys.sort();
            object.keys.dedup();
        }
        object
    }

    pub(super) fn new(api_version: &'static str, kind: &'static str, name: String) -> Self {
        Self { api_version, kind, name, namespace: None, keys: Vec::new(), ambiguous: false }
    }

    /// Says whether there is a pod template in it, below [`Object::template`].
    pub(super) fn has_template(&self) -> bool {
        matches!(self.kind, "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet" | "Job")
    }

    fn is_cluster_scoped(&self) -> bool {
        matches!(
            self.kind,
            "ClusterRole"
                | "ClusterRoleBinding"
                | "PersistentVolume"
                | "StorageClass"
                | "PriorityClass"
                | "ValidatingWebhookConfiguration"
                | "MutatingWebhookConfiguration"
                | "ValidatingAdmissionPolicy"
                | "ValidatingAdmissionPolicyBinding"
                | "IngressClass"
                | "APIService"
                | "CustomResourceDefinition"
                | "Namespace"
                | "Node"
        )
    }

    /// The fields that every object and every patch begins with.
    pub(super) fn head(&self) -> Value {
        let mut metadata = map([("name", text(&self.name))]);
        if let Some(namespace) = &self.namespace {
            metadata.set("namespace", text(namespace));
        }
        map([
            ("apiVersion", text(self.api_version)),
            ("kind", text(self.kind)),
            ("metadata", metadata),
        ])
    }
}

/// Writes one object; `others` are the objects it may refer to.
pub(super) fn manifest(dice: &mut Dice, object: &Object, others: &[Object]) -> Value {
    let mut value = content(dice, object, others);
    references::add(dice, object.kind, &mut value, |dice, kind| {
        Referrer { dice, others }.name(kind)
    });
    value
}

fn content(dice: &mut Dice, object: &Object, others: &[Object]) -> Value {
    let mut value = object.head();
    decorate(dice, &mut value);
    let mut refer = Referrer { dice, others };
    let (field, content) = match object.kind {
        "Deployment"
        | "StatefulSet"
        | "DaemonSet"
        | "ReplicaSet"
        | "Job"
        | "ReplicationController" => ("spec", refer.workload(object)),
        "CronJob" => {
            let job = map([("spec", map([("template", refer.template(&object.name))]))]);
            ("spec", map([("schedule", text("*/5 * * * *")), ("jobTemplate", job)]))
        }
        "Pod" => ("spec", refer.pod_spec()),
        "Service" => ("spec", service(refer.dice, &object.name)),
        "ConfigMap" => ("data", data(refer.dice, &object.keys)),
        "Secret" => ("stringData", data(refer.dice, &object.keys)),
        "ServiceAccount" => ("imagePullSecrets", list([refer.named("Secret")])),
        "Role" | "ClusterRole" => ("rules", refer.rules()),
        "RoleBinding" | "ClusterRoleBinding" => return refer.binding(value),
        "Ingress" => ("spec", refer.ingress()),
        "NetworkPolicy" => {
            ("spec", map([("podSelector", match_labels(&object.name)), ("ingress", list([]))]))
        }
        "PodDisruptionBudget" => {
            ("spec", map([("minAvailable", raw(1)), ("selector", match_labels(&object.name))]))
        }
        "HorizontalPodAutoscaler" => {
            let target = map([("kind", text("Deployment")), ("name", refer.name("Deployment"))]);
            ("spec", map([("scaleTargetRef", target), ("maxReplicas", raw(5))]))
        }
        "PersistentVolumeClaim" => (
            "spec",
            map([
                ("storageClassName", refer.name("StorageClass")),
                ("volumeName", refer.name("PersistentVolume")),
            ]),
        ),
        "ValidatingWebhookConfiguration" => ("webhooks", refer.webhooks()),
        "Foo" | "Bar" => ("spec", refer.custom()),
        _ => ("spec", map([("note", scalars::scalar(refer.dice))])),
    };
    value.with(field, content)
}

/// Adds labels and annotations, sometimes of an odd shape.
fn decorate(dice: &mut Dice, value: &mut Value) {
    let Value::Map(entries) = value else { return };
    let Some((_, metadata)) = entries.iter_mut().find(|(key, _)| key == "metadata") else { return };
    if dice.chance(40) {
        let mut labels = map([]);
        for _ in 0..dice.below(3) {
            let (key, label) = (scalars::label_key(dice), scalars::label(dice));
            labels.set(&key, text(label));
        }
        metadata.set("labels", labels);
    }
    match dice.below(20) {
        0 => metadata.set("annotations", raw("")),
        1 => metadata.set("annotations", map([])),
        2..=7 => {
            let (key, note) = (scalars::label_key(dice), scalars::string(dice));
            metadata.set("annotations", map([(&key, text(note)), ("number", raw("1.50"))]));
        }
        8 => {
            metadata.set("annotations", map([("config.kubernetes.io/local-config", text("true"))]))
        }
        _ => {}
    }
    if dice.chance(5) {
        metadata.set("creationTimestamp", raw("null"));
    }
}

fn data(dice: &mut Dice, keys: &[String]) -> Value {
    let mut value = map([]);
    for key in keys {
        let entry = text(scalars::string(dice));
        value.set(key, entry);
    }
    value
}

fn match_labels(name: &str) -> Value {
    map([("matchLabels", map([("app", text(name))]))])
}

fn service(dice: &mut Dice, name: &str) -> Value {
    let mut ports = vec![map([("port", raw(80))])];
    if dice.chance(50) {
        ports.push(map([("port", raw(443)), ("protocol", text("TCP")), ("name", text("tls"))]));
    }
    if dice.chance(30) {
        ports.push(map([("port", raw(53)), ("protocol", text("UDP"))]));
        ports.push(map([("port", raw(53)), ("protocol", text("TCP"))]));
    }
    map([("selector", map([("app", text(name))])), ("ports", Value::List(ports))])
}

/// Writes the parts that name other objects.
struct Referrer<'a> {
    dice: &'a mut Dice,
    others: &'a [Object],
}

impl Referrer<'_> {
    fn name(&mut self, kind: &str) -> Value {
        let names: Vec<&String> = self
            .others
            .iter()
            .filter(|object| object.kind == kind)
            .map(|object| &object.name)
            .collect();
        if names.is_empty() || self.dice.chance(10) {
            text("absent")
        } else {
            text(self.dice.pick(&names))
        }
    }

    fn named(&mut self, kind: &str) -> Value {
        map([("name", self.name(kind))])
    }

    fn workload(&mut self, object: &Object) -> Value {
        let mut spec = map([("template", self.template(&object.name))]);
        if self.dice.chance(70) && object.kind != "Job" {
            spec.set("selector", match_labels(&object.name));
        }
        if matches!(object.kind, "Deployment" | "StatefulSet") && self.dice.chance(60) {
            spec.set("replicas", raw(self.dice.below(5)));
        }
        if object.kind == "StatefulSet" {
            spec.set("serviceName", self.name("Service"));
            let claim = map([("storageClassName", self.name("StorageClass"))]);
            let claim = map([("metadata", map([("name", text("data"))])), ("spec", claim)]);
            spec.set("volumeClaimTemplates", list([claim]));
        }
        spec
    }

    fn template(&mut self, app: &str) -> Value {
        let mut template = map([]);
        if self.dice.chance(80) {
            let labels = map([("app", text(app))]);
            template.set("metadata", map([("labels", labels)]));
        }
        template.with("spec", self.pod_spec())
    }

    fn pod_spec(&mut self) -> Value {
        let mut containers = vec![self.container("main")];
        if self.dice.chance(40) {
            containers.push(self.container("side"));
        }
        let mut spec = map([("containers", Value::List(containers))]);
        if self.dice.chance(20) {
            spec.set("initContainers", list([self.container("init")]));
        }
        if self.dice.chance(40) {
            spec.set("serviceAccountName", self.name("ServiceAccount"));
        }
        if self.dice.chance(50) {
            spec.set("volumes", self.volumes());
        }
        if self.dice.chance(10) {
            spec.set("imagePullSecrets", list([self.named("Secret")]));
        }
        if self.dice.chance(10) {
            spec.set("priorityClassName", self.name("PriorityClass"));
        }
        if self.dice.chance(10) {
            let constraint = map([
                ("topologyKey", text("zone")),
                ("whenUnsatisfiable", text("DoNotSchedule")),
                ("labelSelector", match_labels("x")),
            ]);
            spec.set("topologySpreadConstraints", list([constraint]));
        }
        if self.dice.chance(8) {
            spec.set("securityContext", raw(""));
        }
        spec
    }

    fn container(&mut self, name: &str) -> Value {
        let image = self.dice.pick(IMAGES);
        let tag = self.dice.pick(&[
            "",
            ":1.25",
            ":v2",
            ":latest",
            "@sha256:24a0c4b4a4c0eb97a1aabb8e29f18e917d05abfe1b7a7c07857230879ce7d3d3",
        ]);
        let mut container = map([("name", text(name)), ("image", text(format!("{image}{tag}")))]);
        if self.dice.chance(50) {
            let first = map([("name", text("FIRST")), ("value", text(scalars::string(self.dice)))]);
            let config = map([("name", self.name("ConfigMap")), ("key", text("a"))]);
            let second =
                map([("name", text("SECOND")), ("valueFrom", map([("configMapKeyRef", config)]))]);
            container.set("env", list([first, second]));
        }
        if self.dice.chance(30) {
            let config = map([("configMapRef", self.named("ConfigMap"))]);
            let secret = map([("secretRef", self.named("Secret"))]);
            container.set("envFrom", list([config, secret]));
        }
        if self.dice.chance(40) {
            let port = map([("containerPort", raw(8080))]);
            container.set(
                "ports",
                list([port, map([("containerPort", raw(53)), ("protocol", text("UDP"))])]),
            );
        }
        if self.dice.chance(30) {
            container.set(
                "args",
                list([text("--flag=$(VAR)"), text("$(VAR)"), text(scalars::string(self.dice))]),
            );
        }
        if self.dice.chance(15) {
            container.set("resources", raw(""));
        }
        container
    }

    fn volumes(&mut self) -> Value {
        let config = map([("name", text("config")), ("configMap", self.named("ConfigMap"))]);
        let secret =
            map([("name", text("secret")), ("secret", map([("secretName", self.name("Secret"))]))]);
        let claim = map([("claimName", self.name("PersistentVolumeClaim"))]);
        let claim = map([("name", text("claim")), ("persistentVolumeClaim", claim)]);
        let source = map([("configMap", self.named("ConfigMap"))]);
        let projected =
            map([("name", text("all")), ("projected", map([("sources", list([source]))]))]);
        let mut volumes = vec![config, secret, claim, projected];
        self.dice.shuffle(&mut volumes);
        volumes.truncate(self.dice.between(1, 4));
        Value::List(volumes)
    }

    fn rules(&mut self) -> Value {
        let names = list([self.name("ConfigMap"), self.name("Secret"), text("other")]);
        list([map([("resources", list([text("configmaps")])), ("resourceNames", names)])])
    }

    fn binding(&mut self, value: Value) -> Value {
        let kind = self.dice.pick(&["Role", "ClusterRole"]);
        let role = map([
            ("apiGroup", text("rbac.authorization.k8s.io")),
            ("kind", text(kind)),
            ("name", self.name(kind)),
        ]);
        let mut subject =
            map([("kind", text("ServiceAccount")), ("name", self.name("ServiceAccount"))]);
        if self.dice.chance(50) {
            subject.set("namespace", text(self.dice.pick(&["one", "two", "default"])));
        }
        let default = map([("kind", text("ServiceAccount")), ("name", text("default"))]);
        value.with("roleRef", role).with("subjects", list([subject, default]))
    }

    fn ingress(&mut self) -> Value {
        let service = map([("name", self.name("Service")), ("port", map([("number", raw(80))]))]);
        let path = map([("path", text("/")), ("backend", map([("service", service)]))]);
        let rule =
            map([("host", text("shop.example.com")), ("http", map([("paths", list([path]))]))]);
        let tls =
            map([("secretName", self.name("Secret")), ("hosts", list([text("shop.example.com")]))]);
        map([("rules", list([rule])), ("tls", list([tls])), ("ingressClassName", text("nginx"))])
    }

    fn webhooks(&mut self) -> Value {
        let service = map([("name", self.name("Service")), ("namespace", text("default"))]);
        let hook =
            map([("name", text("a.example.com")), ("clientConfig", map([("service", service)]))]);
        list([hook])
    }

    /// The content of a custom resource: anything, and in places an anchor that is used again.
    fn custom(&mut self) -> Value {
        let mut spec = map([
            ("size", raw(self.dice.below(100))),
            ("config", self.name("ConfigMap")),
            ("items", list([map([("name", text("one")), ("value", scalars::scalar(self.dice))])])),
            ("free", scalars::tree(self.dice, 3)),
        ]);
        if self.dice.chance(25) {
            spec.set(
                "shared",
                Value::Anchor(
                    "shared",
                    Box::new(map([("x", raw(1)), ("z", scalars::tree(self.dice, 1))])),
                ),
            );
            spec.set("again", Value::Alias("shared"));
            spec.set("merged", map([("<<", Value::Alias("shared")), ("x", raw(2))]));
        }
        spec
    }
}
