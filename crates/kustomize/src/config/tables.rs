//! The built-in fields. They are data: what kustomize v5.8.1 knows about Kubernetes' own kinds.
//!
//! A kind is written `Kind`, `Kind.group`, `Kind@version` or `Kind@version.group`, and `*` for any. A path that
//! ends in `+` is made where it is missing.

use std::sync::Arc;

use super::{NameReference, TransformerConfig, order};
use crate::fieldspec::{FieldSpec, Specs};
use crate::id::Gvk;
use crate::sort::{FIRST, LAST};

type Row = (&'static str, &'static str);

/// The built-in fields of every transformer, in the order of their kinds.
pub(super) fn all() -> TransformerConfig {
    let template_labels = specs(TEMPLATE_LABELS);
    let mut common_labels: Vec<FieldSpec> = rows(SELECTORS).collect();
    common_labels.extend(rows(TEMPLATE_LABELS));
    TransformerConfig {
        name_prefix: specs(NAMES),
        name_suffix: specs(NAMES),
        namespace: specs(NAMESPACES),
        common_labels: Arc::new(Specs::sorted(common_labels)),
        labels: Arc::default(),
        template_labels,
        common_annotations: specs(ANNOTATIONS),
        name_reference: Arc::new(name_references()),
        var_reference: Arc::new(Specs::sorted(var_references())),
        images: specs(IMAGES),
        replicas: specs(REPLICAS),
    }
}

/// The place of a kind among others; unlisted kinds stand in the middle.
pub(super) fn rank(kind: &str) -> i8 {
    if let Some(index) = FIRST.iter().position(|first| *first == kind) {
        return i8::try_from(index).unwrap_or(0) - 22;
    }
    LAST.iter().position(|last| *last == kind).map_or(0, |index| index as i8 + 1)
}

static NAMES: &[Row] = &[("*", "metadata/name")];

static NAMESPACES: &[Row] = &[
    ("Namespace", "metadata/name+"),
    ("APIService.apiregistration.k8s.io", "spec/service/namespace+"),
    (
        "CustomResourceDefinition.apiextensions.k8s.io",
        "spec/conversion/webhook/clientConfig/service/namespace",
    ),
];

static IMAGES: &[Row] = &[
    ("*", "spec/containers[]/image+"),
    ("*", "spec/initContainers[]/image+"),
    ("*", "spec/volumes[]/image/reference+"),
    ("*", "spec/template/spec/containers[]/image+"),
    ("*", "spec/template/spec/initContainers[]/image+"),
    ("*", "spec/template/spec/volumes[]/image/reference+"),
];

static REPLICAS: &[Row] = &[
    ("Deployment", "spec/replicas+"),
    ("ReplicationController", "spec/replicas+"),
    ("ReplicaSet", "spec/replicas+"),
    ("StatefulSet", "spec/replicas+"),
];

static ANNOTATIONS: &[Row] = &[
    ("*", "metadata/annotations+"),
    ("ReplicationController@v1", "spec/template/metadata/annotations+"),
    ("Deployment", "spec/template/metadata/annotations+"),
    ("ReplicaSet", "spec/template/metadata/annotations+"),
    ("DaemonSet", "spec/template/metadata/annotations+"),
    ("StatefulSet", "spec/template/metadata/annotations+"),
    ("Job.batch", "spec/template/metadata/annotations+"),
    ("CronJob.batch", "spec/jobTemplate/metadata/annotations+"),
    ("CronJob.batch", "spec/jobTemplate/spec/template/metadata/annotations+"),
];

static TEMPLATE_LABELS: &[Row] = &[
    ("*", "metadata/labels+"),
    ("ReplicationController@v1", "spec/template/metadata/labels+"),
    ("Deployment", "spec/template/metadata/labels+"),
    ("ReplicaSet", "spec/template/metadata/labels+"),
    ("DaemonSet", "spec/template/metadata/labels+"),
    ("StatefulSet.apps", "spec/template/metadata/labels+"),
    ("StatefulSet.apps", "spec/volumeClaimTemplates[]/metadata/labels+"),
    ("Job.batch", "spec/template/metadata/labels+"),
    ("CronJob.batch", "spec/jobTemplate/metadata/labels+"),
    ("CronJob.batch", "spec/jobTemplate/spec/template/metadata/labels+"),
];

static SELECTORS: &[Row] = &[
    ("Service@v1", "spec/selector+"),
    ("ReplicationController@v1", "spec/selector+"),
    ("Deployment", "spec/selector/matchLabels+"),
    ("Deployment.apps", PREFERRED_AFFINITY),
    ("Deployment.apps", REQUIRED_AFFINITY),
    ("Deployment.apps", PREFERRED_ANTI_AFFINITY),
    ("Deployment.apps", REQUIRED_ANTI_AFFINITY),
    ("Deployment.apps", SPREAD),
    ("ReplicaSet", "spec/selector/matchLabels+"),
    ("DaemonSet", "spec/selector/matchLabels+"),
    ("StatefulSet.apps", "spec/selector/matchLabels+"),
    ("StatefulSet.apps", PREFERRED_AFFINITY),
    ("StatefulSet.apps", REQUIRED_AFFINITY),
    ("StatefulSet.apps", PREFERRED_ANTI_AFFINITY),
    ("StatefulSet.apps", REQUIRED_ANTI_AFFINITY),
    ("StatefulSet.apps", SPREAD),
    ("Job.batch", "spec/selector/matchLabels"),
    ("CronJob.batch", "spec/jobTemplate/spec/selector/matchLabels"),
    ("PodDisruptionBudget.policy", "spec/selector/matchLabels"),
    ("NetworkPolicy.networking.k8s.io", "spec/podSelector/matchLabels"),
    ("NetworkPolicy.networking.k8s.io", "spec/ingress/from/podSelector/matchLabels"),
    ("NetworkPolicy.networking.k8s.io", "spec/egress/to/podSelector/matchLabels"),
];

const PREFERRED_AFFINITY: &str = "spec/template/spec/affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels";
const REQUIRED_AFFINITY: &str = "spec/template/spec/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels";
const PREFERRED_ANTI_AFFINITY: &str = "spec/template/spec/affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels";
const REQUIRED_ANTI_AFFINITY: &str = "spec/template/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels";
const SPREAD: &str = "spec/template/spec/topologySpreadConstraints/labelSelector/matchLabels";

/// Where kinds keep the specification of a pod.
static PODS: &[Row] = &[
    ("Pod@v1", "spec"),
    ("PodTemplate", "template/spec"),
    ("Deployment", "spec/template/spec"),
    ("ReplicaSet", "spec/template/spec"),
    ("DaemonSet", "spec/template/spec"),
    ("StatefulSet", "spec/template/spec"),
    ("Job", "spec/template/spec"),
    ("CronJob", "spec/jobTemplate/spec/template/spec"),
];

/// The same for the rules that came earlier and know other kinds.
static WORKLOADS: &[Row] = &[
    ("Pod", "spec"),
    ("StatefulSet", "spec/template/spec"),
    ("Deployment", "spec/template/spec"),
    ("ReplicationController", "spec/template/spec"),
    ("CronJob", "spec/jobTemplate/spec/template/spec"),
    ("Job", "spec/template/spec"),
    ("DaemonSet", "spec/template/spec"),
];

static CONFIG_MAP_IN_POD: &[&str] = &[
    "volumes/configMap/name",
    "containers/env/valueFrom/configMapKeyRef/name",
    "initContainers/env/valueFrom/configMapKeyRef/name",
    "containers/envFrom/configMapRef/name",
    "initContainers/envFrom/configMapRef/name",
    "volumes/projected/sources/configMap/name",
];

static SECRET_IN_POD: &[&str] = &[
    "volumes/secret/secretName",
    "containers/env/valueFrom/secretKeyRef/name",
    "initContainers/env/valueFrom/secretKeyRef/name",
    "containers/envFrom/secretRef/name",
    "initContainers/envFrom/secretRef/name",
    "imagePullSecrets/name",
    "volumes/projected/sources/secret/name",
];

/// A kind that is named, the tables of pods that name it and where, and single fields that do.
type Rule = (&'static str, &'static [Row], &'static [&'static str], &'static [Row]);

static NAME_REFERENCES: &[Rule] = &[
    ("Deployment", &[], &[], SCALE_TARGET),
    ("ReplicationController", &[], &[], SCALE_TARGET),
    ("ReplicaSet", &[], &[], SCALE_TARGET),
    ("StatefulSet", &[], &[], SCALE_TARGET),
    (
        "ConfigMap@v1",
        PODS,
        CONFIG_MAP_IN_POD,
        &[
            ("Node", "spec/configSource/configMap"),
            ("Role", "rules/resourceNames"),
            ("ClusterRole", "rules/resourceNames"),
            (
                "Ingress",
                r"metadata/annotations/nginx.ingress.kubernetes.io\/fastcgi-params-configmap",
            ),
        ],
    ),
    (
        "Secret@v1",
        PODS,
        SECRET_IN_POD,
        &[
            ("Ingress", "spec/tls/secretName"),
            ("Ingress", r"metadata/annotations/ingress.kubernetes.io\/auth-secret"),
            ("Ingress", r"metadata/annotations/nginx.ingress.kubernetes.io\/auth-secret"),
            ("Ingress", r"metadata/annotations/nginx.ingress.kubernetes.io\/auth-tls-secret"),
            ("ServiceAccount", "imagePullSecrets/name"),
            ("StorageClass", "parameters/secretName"),
            ("StorageClass", "parameters/adminSecretName"),
            ("StorageClass", "parameters/userSecretName"),
            ("StorageClass", "parameters/secretRef"),
            ("Role", "rules/resourceNames"),
            ("ClusterRole", "rules/resourceNames"),
            (
                "Service@v1.serving.knative.dev",
                "spec/template/spec/containers/env/valueFrom/secretKeyRef/name",
            ),
            ("PersistentVolume", "spec/azureFile/secretName"),
        ],
    ),
    (
        "Service@v1",
        &[],
        &[],
        &[
            ("StatefulSet.apps", "spec/serviceName"),
            ("Ingress", "spec/rules/http/paths/backend/serviceName"),
            ("Ingress", "spec/backend/serviceName"),
            ("Ingress", "spec/rules/http/paths/backend/service/name"),
            ("Ingress", "spec/defaultBackend/service/name"),
            ("APIService.apiregistration.k8s.io", "spec/service/name"),
            (
                "ValidatingWebhookConfiguration.admissionregistration.k8s.io",
                "webhooks/clientConfig/service",
            ),
            (
                "MutatingWebhookConfiguration.admissionregistration.k8s.io",
                "webhooks/clientConfig/service",
            ),
        ],
    ),
    (
        "Role.rbac.authorization.k8s.io",
        &[],
        &[],
        &[("RoleBinding.rbac.authorization.k8s.io", "roleRef/name")],
    ),
    (
        "ClusterRole.rbac.authorization.k8s.io",
        &[],
        &[],
        &[
            ("RoleBinding.rbac.authorization.k8s.io", "roleRef/name"),
            ("ClusterRoleBinding.rbac.authorization.k8s.io", "roleRef/name"),
        ],
    ),
    (
        "ServiceAccount@v1",
        WORKLOADS,
        &["serviceAccountName"],
        &[
            ("RoleBinding.rbac.authorization.k8s.io", "subjects"),
            ("ClusterRoleBinding.rbac.authorization.k8s.io", "subjects"),
        ],
    ),
    ("PersistentVolumeClaim@v1", WORKLOADS, &["volumes/persistentVolumeClaim/claimName"], &[]),
    (
        "PersistentVolume@v1",
        &[],
        &[],
        &[("PersistentVolumeClaim", "spec/volumeName"), ("ClusterRole", "rules/resourceNames")],
    ),
    (
        "StorageClass@v1.storage.k8s.io",
        &[],
        &[],
        &[
            ("PersistentVolume", "spec/storageClassName"),
            ("PersistentVolumeClaim", "spec/storageClassName"),
            ("StatefulSet", "spec/volumeClaimTemplates/spec/storageClassName"),
        ],
    ),
    ("PriorityClass@v1.scheduling.k8s.io", WORKLOADS, &["priorityClassName"], &[]),
    // The version inside the group makes this rule select nothing, upstream as here.
    ("IngressClass@v1.networking.k8s.io/v1", &[], &[], &[("Ingress", "spec/ingressClassName")]),
    (
        "ValidatingAdmissionPolicy.admissionregistration.k8s.io",
        &[],
        &[],
        &[("ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io", "spec/policyName")],
    ),
];

static SCALE_TARGET: &[Row] = &[("HorizontalPodAutoscaler", "spec/scaleTargetRef/name")];

/// Where variables are looked for in the containers of a pod.
static VARS_IN_POD: &[&str] = &[
    "containers/args",
    "containers/command",
    "containers/env/value",
    "containers/volumeMounts/mountPath",
    "initContainers/args",
    "initContainers/command",
    "initContainers/env/value",
    "initContainers/volumeMounts/mountPath",
];

static VAR_PODS: &[Row] = &[
    ("CronJob", "spec/jobTemplate/spec/template/spec"),
    ("DaemonSet", "spec/template/spec"),
    ("Deployment", "spec/template/spec"),
    ("Job", "spec/template/spec"),
    ("Pod", "spec"),
    ("ReplicaSet", "spec/template/spec"),
    ("StatefulSet", "spec/template/spec"),
];

static VARS_ELSEWHERE: &[Row] = &[
    ("CronJob", "spec/jobTemplate/spec/template/volumes/nfs/server"),
    ("DaemonSet", "spec/template/spec/volumes/nfs/server"),
    ("Deployment", "spec/template/spec/volumes/nfs/server"),
    ("Deployment", "spec/template/metadata/annotations"),
    ("Ingress", "spec/rules/host"),
    ("Ingress", "spec/tls/hosts"),
    ("Ingress", "spec/tls/secretName"),
    ("Job", "spec/template/spec/volumes/nfs/server"),
    ("Pod", "spec/volumes/nfs/server"),
    ("ReplicaSet", "spec/template/spec/volumes/nfs/server"),
    ("Service", "spec/ports/port"),
    ("Service", "spec/ports/targetPort"),
    ("StatefulSet", "spec/volumeClaimTemplates/spec/nfs/server"),
    ("PersistentVolume", "spec/nfs/server"),
    ("*", "metadata/labels"),
    ("*", "metadata/annotations"),
];

fn name_references() -> Vec<NameReference> {
    let rule = |(target, pods, in_pod, others): &Rule| NameReference {
        target: gvk(target),
        referrers: Specs::new(below(pods, in_pod).chain(rows(others)).collect()),
    };
    let mut rules: Vec<NameReference> = NAME_REFERENCES.iter().map(rule).collect();
    rules.sort_by_cached_key(|rule| order(&rule.target));
    rules
}

fn var_references() -> Vec<FieldSpec> {
    below(VAR_PODS, VARS_IN_POD).chain(rows(VARS_ELSEWHERE)).collect()
}

fn below(pods: &'static [Row], paths: &'static [&str]) -> impl Iterator<Item = FieldSpec> {
    pods.iter().flat_map(move |(kind, base)| {
        paths.iter().map(move |path| FieldSpec::new(gvk(kind), &format!("{base}/{path}"), false))
    })
}

fn specs(table: &'static [Row]) -> Arc<Specs> {
    Arc::new(Specs::sorted(rows(table).collect()))
}

fn rows(table: &'static [Row]) -> impl Iterator<Item = FieldSpec> {
    table.iter().map(|(kind, path)| {
        let wanted = path.strip_suffix('+');
        FieldSpec::new(gvk(kind), wanted.unwrap_or(path), wanted.is_some())
    })
}

fn gvk(text: &str) -> Gvk {
    let (kind, rest) = text.split_at(text.find(['@', '.']).unwrap_or(text.len()));
    let (version, group) = match rest.strip_prefix('@') {
        Some(rest) => rest.split_once('.').unwrap_or((rest, "")),
        None => ("", rest.strip_prefix('.').unwrap_or(rest)),
    };
    let kind = if kind == "*" { "" } else { kind };
    Gvk { group: group.into(), version: version.into(), kind: kind.into() }
}
