//! What Kubernetes 1.21.2 says of its kinds, as far as a merge can tell the difference.
//!
//! Kustomize carries the OpenAPI document of that version. Two things of it matter here: which lists are merged
//! element by element, and by which keys; and whether a kind lives in a namespace. A type is kept when such a
//! list can be reached from it through mappings and such lists; all its other fields are only known to exist.

use super::Shape::{Each, Is};
use super::Type;

/// The kinds: kind, group, version and type; sorted.
pub(super) static KINDS: &[(&str, &str, &str, &Type)] = &[
    ("APIService", "apiregistration.k8s.io", "v1", &API_SERVICE),
    ("APIService", "apiregistration.k8s.io", "v1beta1", &API_SERVICE),
    ("Binding", "", "v1", &BINDING),
    ("CSIDriver", "storage.k8s.io", "v1", &WITH_SPEC),
    ("CSIDriver", "storage.k8s.io", "v1beta1", &WITH_SPEC),
    ("CSINode", "storage.k8s.io", "v1", &CSI_NODE),
    ("CSINode", "storage.k8s.io", "v1beta1", &CSI_NODE),
    ("CSIStorageCapacity", "storage.k8s.io", "v1beta1", &CSI_STORAGE_CAPACITY),
    ("CertificateSigningRequest", "certificates.k8s.io", "v1", &WITH_SPEC_AND_STATUS),
    ("CertificateSigningRequest", "certificates.k8s.io", "v1beta1", &WITH_SPEC_AND_STATUS),
    ("ClusterRole", "rbac.authorization.k8s.io", "v1", &CLUSTER_ROLE),
    ("ClusterRole", "rbac.authorization.k8s.io", "v1beta1", &CLUSTER_ROLE),
    ("ClusterRoleBinding", "rbac.authorization.k8s.io", "v1", &ROLE_BINDING),
    ("ClusterRoleBinding", "rbac.authorization.k8s.io", "v1beta1", &ROLE_BINDING),
    ("ComponentStatus", "", "v1", &COMPONENT_STATUS),
    ("ConfigMap", "", "v1", &CONFIG_MAP),
    ("ControllerRevision", "apps", "v1", &CONTROLLER_REVISION),
    ("CronJob", "batch", "v1", &CRON_JOB),
    ("CronJob", "batch", "v1beta1", &CRON_JOB),
    ("CustomResourceDefinition", "apiextensions.k8s.io", "v1", &WITH_SPEC_AND_STATUS),
    ("CustomResourceDefinition", "apiextensions.k8s.io", "v1beta1", &WITH_SPEC_AND_STATUS),
    ("DaemonSet", "apps", "v1", &DAEMON_SET),
    ("Deployment", "apps", "v1", &DEPLOYMENT),
    ("EndpointSlice", "discovery.k8s.io", "v1", &ENDPOINT_SLICE),
    ("EndpointSlice", "discovery.k8s.io", "v1beta1", &ENDPOINT_SLICE),
    ("Endpoints", "", "v1", &ENDPOINTS),
    ("Event", "", "v1", &CORE_EVENT),
    ("Event", "events.k8s.io", "v1", &EVENT),
    ("Event", "events.k8s.io", "v1beta1", &EVENT),
    ("Eviction", "policy", "v1beta1", &EVICTION),
    ("FlowSchema", "flowcontrol.apiserver.k8s.io", "v1beta1", &WITH_SPEC_AND_STATUS),
    ("HorizontalPodAutoscaler", "autoscaling", "v1", &WITH_SPEC_AND_STATUS),
    ("HorizontalPodAutoscaler", "autoscaling", "v2beta1", &WITH_SPEC_AND_STATUS),
    ("HorizontalPodAutoscaler", "autoscaling", "v2beta2", &WITH_SPEC_AND_STATUS),
    ("Ingress", "extensions", "v1beta1", &WITH_SPEC_AND_STATUS),
    ("Ingress", "networking.k8s.io", "v1", &WITH_SPEC_AND_STATUS),
    ("Ingress", "networking.k8s.io", "v1beta1", &WITH_SPEC_AND_STATUS),
    ("IngressClass", "networking.k8s.io", "v1", &WITH_SPEC),
    ("IngressClass", "networking.k8s.io", "v1beta1", &WITH_SPEC),
    ("Job", "batch", "v1", &JOB),
    ("Kustomization", "kustomize.config.k8s.io", "v1beta1", &KUSTOMIZATION),
    ("Lease", "coordination.k8s.io", "v1", &WITH_SPEC),
    ("Lease", "coordination.k8s.io", "v1beta1", &WITH_SPEC),
    ("LimitRange", "", "v1", &WITH_SPEC),
    ("LocalSubjectAccessReview", "authorization.k8s.io", "v1", &WITH_SPEC_AND_STATUS),
    ("LocalSubjectAccessReview", "authorization.k8s.io", "v1beta1", &WITH_SPEC_AND_STATUS),
    ("MutatingWebhookConfiguration", "admissionregistration.k8s.io", "v1", &WEBHOOK_CONFIGURATION),
    (
        "MutatingWebhookConfiguration",
        "admissionregistration.k8s.io",
        "v1beta1",
        &WEBHOOK_CONFIGURATION,
    ),
    ("Namespace", "", "v1", &NAMESPACE),
    ("NetworkPolicy", "networking.k8s.io", "v1", &WITH_SPEC),
    ("Node", "", "v1", &NODE),
    ("PersistentVolume", "", "v1", &WITH_SPEC_AND_STATUS),
    ("PersistentVolumeClaim", "", "v1", &PERSISTENT_VOLUME_CLAIM),
    ("Pod", "", "v1", &POD),
    ("PodDisruptionBudget", "policy", "v1", &POD_DISRUPTION_BUDGET),
    ("PodDisruptionBudget", "policy", "v1beta1", &POD_DISRUPTION_BUDGET),
    ("PodSecurityPolicy", "policy", "v1beta1", &WITH_SPEC),
    ("PodTemplate", "", "v1", &POD_TEMPLATE),
    ("PriorityClass", "scheduling.k8s.io", "v1", &PRIORITY_CLASS),
    ("PriorityClass", "scheduling.k8s.io", "v1beta1", &PRIORITY_CLASS),
    (
        "PriorityLevelConfiguration",
        "flowcontrol.apiserver.k8s.io",
        "v1beta1",
        &WITH_SPEC_AND_STATUS,
    ),
    ("ReplicaSet", "apps", "v1", &REPLICA_SET),
    ("ReplicationController", "", "v1", &REPLICA_SET),
    ("ResourceQuota", "", "v1", &WITH_SPEC_AND_STATUS),
    ("Role", "rbac.authorization.k8s.io", "v1", &ROLE),
    ("Role", "rbac.authorization.k8s.io", "v1beta1", &ROLE),
    ("RoleBinding", "rbac.authorization.k8s.io", "v1", &ROLE_BINDING),
    ("RoleBinding", "rbac.authorization.k8s.io", "v1beta1", &ROLE_BINDING),
    ("RuntimeClass", "node.k8s.io", "v1", &RUNTIME_CLASS),
    ("RuntimeClass", "node.k8s.io", "v1beta1", &RUNTIME_CLASS),
    ("Scale", "autoscaling", "v1", &WITH_SPEC_AND_STATUS),
    ("Secret", "", "v1", &SECRET),
    ("SelfSubjectAccessReview", "authorization.k8s.io", "v1", &WITH_SPEC_AND_STATUS),
    ("SelfSubjectAccessReview", "authorization.k8s.io", "v1beta1", &WITH_SPEC_AND_STATUS),
    ("SelfSubjectRulesReview", "authorization.k8s.io", "v1", &WITH_SPEC_AND_STATUS),
    ("SelfSubjectRulesReview", "authorization.k8s.io", "v1beta1", &WITH_SPEC_AND_STATUS),
    ("Service", "", "v1", &SERVICE),
    ("ServiceAccount", "", "v1", &SERVICE_ACCOUNT),
    ("StatefulSet", "apps", "v1", &STATEFUL_SET),
    ("StorageClass", "storage.k8s.io", "v1", &STORAGE_CLASS),
    ("StorageClass", "storage.k8s.io", "v1beta1", &STORAGE_CLASS),
    ("SubjectAccessReview", "authorization.k8s.io", "v1", &WITH_SPEC_AND_STATUS),
    ("SubjectAccessReview", "authorization.k8s.io", "v1beta1", &WITH_SPEC_AND_STATUS),
    ("TokenRequest", "authentication.k8s.io", "v1", &WITH_SPEC_AND_STATUS),
    ("TokenReview", "authentication.k8s.io", "v1", &WITH_SPEC_AND_STATUS),
    ("TokenReview", "authentication.k8s.io", "v1beta1", &WITH_SPEC_AND_STATUS),
    (
        "ValidatingWebhookConfiguration",
        "admissionregistration.k8s.io",
        "v1",
        &WEBHOOK_CONFIGURATION,
    ),
    (
        "ValidatingWebhookConfiguration",
        "admissionregistration.k8s.io",
        "v1beta1",
        &WEBHOOK_CONFIGURATION,
    ),
    ("VolumeAttachment", "storage.k8s.io", "v1", &WITH_SPEC_AND_STATUS),
    ("VolumeAttachment", "storage.k8s.io", "v1beta1", &WITH_SPEC_AND_STATUS),
];

/// The definitions that are no kinds, by name without `io.k8s.`; sorted.
pub(super) static DEFINITIONS: &[(&str, &Type)] = &[
    ("api.apps.v1.DaemonSetSpec", &DAEMON_SET_SPEC),
    ("api.apps.v1.DaemonSetStatus", &DAEMON_SET_STATUS),
    ("api.apps.v1.DeploymentSpec", &DEPLOYMENT_SPEC),
    ("api.apps.v1.DeploymentStatus", &DEPLOYMENT_STATUS),
    ("api.apps.v1.ReplicaSetSpec", &REPLICA_SET_SPEC),
    ("api.apps.v1.ReplicaSetStatus", &REPLICA_SET_STATUS),
    ("api.apps.v1.StatefulSetSpec", &STATEFUL_SET_SPEC),
    ("api.apps.v1.StatefulSetStatus", &STATEFUL_SET_STATUS),
    ("api.batch.v1.CronJobSpec", &CRON_JOB_SPEC),
    ("api.batch.v1.JobSpec", &JOB_SPEC),
    ("api.batch.v1.JobStatus", &JOB_STATUS),
    ("api.batch.v1.JobTemplateSpec", &JOB_TEMPLATE_SPEC),
    ("api.batch.v1beta1.CronJobSpec", &CRON_JOB_SPEC),
    ("api.batch.v1beta1.JobTemplateSpec", &JOB_TEMPLATE_SPEC),
    ("api.core.v1.Container", &CONTAINER),
    ("api.core.v1.EphemeralContainer", &EPHEMERAL_CONTAINER),
    ("api.core.v1.EphemeralVolumeSource", &EPHEMERAL_VOLUME_SOURCE),
    ("api.core.v1.NamespaceStatus", &NAMESPACE_STATUS),
    ("api.core.v1.NodeSpec", &NODE_SPEC),
    ("api.core.v1.NodeStatus", &NODE_STATUS),
    ("api.core.v1.PersistentVolumeClaimStatus", &PERSISTENT_VOLUME_CLAIM_STATUS),
    ("api.core.v1.PersistentVolumeClaimTemplate", &PERSISTENT_VOLUME_CLAIM_TEMPLATE),
    ("api.core.v1.PodSpec", &POD_SPEC),
    ("api.core.v1.PodStatus", &POD_STATUS),
    ("api.core.v1.PodTemplateSpec", &POD_TEMPLATE_SPEC),
    ("api.core.v1.ReplicationControllerSpec", &REPLICA_SET_SPEC),
    ("api.core.v1.ReplicationControllerStatus", &REPLICA_SET_STATUS),
    ("api.core.v1.ServiceSpec", &SERVICE_SPEC),
    ("api.core.v1.ServiceStatus", &SERVICE_STATUS),
    ("api.core.v1.Volume", &VOLUME),
    ("api.policy.v1.PodDisruptionBudgetStatus", &POD_DISRUPTION_BUDGET_STATUS),
    ("api.policy.v1beta1.PodDisruptionBudgetStatus", &POD_DISRUPTION_BUDGET_STATUS),
    ("api.storage.v1.CSINodeSpec", &CSI_NODE_SPEC),
    ("api.storage.v1beta1.CSINodeSpec", &CSI_NODE_SPEC),
    ("apimachinery.pkg.apis.meta.v1.ObjectMeta", &OBJECT_META),
    ("kube-aggregator.pkg.apis.apiregistration.v1.APIServiceStatus", &API_SERVICE_STATUS),
    ("kube-aggregator.pkg.apis.apiregistration.v1beta1.APIServiceStatus", &API_SERVICE_STATUS),
];

/// Whether a kind lives in a namespace: kind, group, version; sorted.
pub(super) static NAMESPACED: &[(&str, &str, &str, bool)] = &[
    ("APIService", "apiregistration.k8s.io", "v1", false),
    ("APIService", "apiregistration.k8s.io", "v1beta1", false),
    ("CSIDriver", "storage.k8s.io", "v1", false),
    ("CSIDriver", "storage.k8s.io", "v1beta1", false),
    ("CSINode", "storage.k8s.io", "v1", false),
    ("CSINode", "storage.k8s.io", "v1beta1", false),
    ("CSIStorageCapacity", "storage.k8s.io", "v1beta1", true),
    ("CertificateSigningRequest", "certificates.k8s.io", "v1", false),
    ("CertificateSigningRequest", "certificates.k8s.io", "v1beta1", false),
    ("ClusterRole", "rbac.authorization.k8s.io", "v1", false),
    ("ClusterRole", "rbac.authorization.k8s.io", "v1beta1", false),
    ("ClusterRoleBinding", "rbac.authorization.k8s.io", "v1", false),
    ("ClusterRoleBinding", "rbac.authorization.k8s.io", "v1beta1", false),
    ("ComponentStatus", "", "v1", false),
    ("ConfigMap", "", "v1", true),
    ("ControllerRevision", "apps", "v1", true),
    ("CronJob", "batch", "v1", true),
    ("CronJob", "batch", "v1beta1", true),
    ("CustomResourceDefinition", "apiextensions.k8s.io", "v1", false),
    ("CustomResourceDefinition", "apiextensions.k8s.io", "v1beta1", false),
    ("DaemonSet", "apps", "v1", true),
    ("Deployment", "apps", "v1", true),
    ("EndpointSlice", "discovery.k8s.io", "v1", true),
    ("EndpointSlice", "discovery.k8s.io", "v1beta1", true),
    ("Endpoints", "", "v1", true),
    ("Event", "", "v1", true),
    ("Event", "events.k8s.io", "v1", true),
    ("Event", "events.k8s.io", "v1beta1", true),
    ("FlowSchema", "flowcontrol.apiserver.k8s.io", "v1beta1", false),
    ("HorizontalPodAutoscaler", "autoscaling", "v1", true),
    ("HorizontalPodAutoscaler", "autoscaling", "v2beta1", true),
    ("HorizontalPodAutoscaler", "autoscaling", "v2beta2", true),
    ("Ingress", "extensions", "v1beta1", true),
    ("Ingress", "networking.k8s.io", "v1", true),
    ("Ingress", "networking.k8s.io", "v1beta1", true),
    ("IngressClass", "networking.k8s.io", "v1", false),
    ("IngressClass", "networking.k8s.io", "v1beta1", false),
    ("Job", "batch", "v1", true),
    ("Lease", "coordination.k8s.io", "v1", true),
    ("Lease", "coordination.k8s.io", "v1beta1", true),
    ("LimitRange", "", "v1", true),
    ("MutatingWebhookConfiguration", "admissionregistration.k8s.io", "v1", false),
    ("MutatingWebhookConfiguration", "admissionregistration.k8s.io", "v1beta1", false),
    ("Namespace", "", "v1", false),
    ("NetworkPolicy", "networking.k8s.io", "v1", true),
    ("Node", "", "v1", false),
    ("NodeProxyOptions", "", "v1", false),
    ("PersistentVolume", "", "v1", false),
    ("PersistentVolumeClaim", "", "v1", true),
    ("Pod", "", "v1", true),
    ("PodAttachOptions", "", "v1", true),
    ("PodDisruptionBudget", "policy", "v1", true),
    ("PodDisruptionBudget", "policy", "v1beta1", true),
    ("PodExecOptions", "", "v1", true),
    ("PodPortForwardOptions", "", "v1", true),
    ("PodProxyOptions", "", "v1", true),
    ("PodSecurityPolicy", "policy", "v1beta1", false),
    ("PodTemplate", "", "v1", true),
    ("PriorityClass", "scheduling.k8s.io", "v1", false),
    ("PriorityClass", "scheduling.k8s.io", "v1beta1", false),
    ("PriorityLevelConfiguration", "flowcontrol.apiserver.k8s.io", "v1beta1", false),
    ("ReplicaSet", "apps", "v1", true),
    ("ReplicationController", "", "v1", true),
    ("ResourceQuota", "", "v1", true),
    ("Role", "rbac.authorization.k8s.io", "v1", true),
    ("Role", "rbac.authorization.k8s.io", "v1beta1", true),
    ("RoleBinding", "rbac.authorization.k8s.io", "v1", true),
    ("RoleBinding", "rbac.authorization.k8s.io", "v1beta1", true),
    ("RuntimeClass", "node.k8s.io", "v1", false),
    ("RuntimeClass", "node.k8s.io", "v1beta1", false),
    ("Scale", "autoscaling", "v1", true),
    ("Secret", "", "v1", true),
    ("Service", "", "v1", true),
    ("ServiceAccount", "", "v1", true),
    ("ServiceProxyOptions", "", "v1", true),
    ("StatefulSet", "apps", "v1", true),
    ("StorageClass", "storage.k8s.io", "v1", false),
    ("StorageClass", "storage.k8s.io", "v1beta1", false),
    ("ValidatingWebhookConfiguration", "admissionregistration.k8s.io", "v1", false),
    ("ValidatingWebhookConfiguration", "admissionregistration.k8s.io", "v1beta1", false),
    ("VolumeAttachment", "storage.k8s.io", "v1", false),
    ("VolumeAttachment", "storage.k8s.io", "v1beta1", false),
];

static API_SERVICE: Type = Type {
    fields: &[("metadata", Is(&OBJECT_META)), ("status", Is(&API_SERVICE_STATUS))],
    plain: "apiVersion kind spec",
};

static API_SERVICE_STATUS: Type =
    Type { fields: &[("conditions", Each(&["type"], None))], plain: "" };

static BINDING: Type =
    Type { fields: &[("metadata", Is(&OBJECT_META))], plain: "apiVersion kind target" };

static CLUSTER_ROLE: Type = Type {
    fields: &[("metadata", Is(&OBJECT_META))],
    plain: "aggregationRule apiVersion kind rules",
};

static COMPONENT_STATUS: Type = Type {
    fields: &[("conditions", Each(&["type"], None)), ("metadata", Is(&OBJECT_META))],
    plain: "apiVersion kind",
};

static CONFIG_MAP: Type = Type {
    fields: &[("metadata", Is(&OBJECT_META))],
    plain: "apiVersion binaryData data immutable kind",
};

static CONTAINER: Type = Type {
    fields: &[
        ("env", Each(&["name"], None)),
        ("ports", Each(&["containerPort", "protocol"], None)),
        ("volumeDevices", Each(&["devicePath"], None)),
        ("volumeMounts", Each(&["mountPath"], None)),
    ],
    plain: "args command envFrom image imagePullPolicy lifecycle livenessProbe name readinessProbe \
            resources securityContext startupProbe stdin stdinOnce terminationMessagePath \
            terminationMessagePolicy tty workingDir",
};

static CONTROLLER_REVISION: Type =
    Type { fields: &[("metadata", Is(&OBJECT_META))], plain: "apiVersion data kind revision" };

static CORE_EVENT: Type = Type {
    fields: &[("metadata", Is(&OBJECT_META))],
    plain: "action apiVersion count eventTime firstTimestamp involvedObject kind lastTimestamp \
            message reason related reportingComponent reportingInstance series source type",
};

static CRON_JOB: Type = Type {
    fields: &[("metadata", Is(&OBJECT_META)), ("spec", Is(&CRON_JOB_SPEC))],
    plain: "apiVersion kind status",
};

static CRON_JOB_SPEC: Type = Type {
    fields: &[("jobTemplate", Is(&JOB_TEMPLATE_SPEC))],
    plain: "concurrencyPolicy failedJobsHistoryLimit schedule startingDeadlineSeconds \
            successfulJobsHistoryLimit suspend",
};

static CSI_NODE: Type = Type {
    fields: &[("metadata", Is(&OBJECT_META)), ("spec", Is(&CSI_NODE_SPEC))],
    plain: "apiVersion kind",
};

static CSI_NODE_SPEC: Type = Type { fields: &[("drivers", Each(&["name"], None))], plain: "" };

static CSI_STORAGE_CAPACITY: Type = Type {
    fields: &[("metadata", Is(&OBJECT_META))],
    plain: "apiVersion capacity kind maximumVolumeSize nodeTopology storageClassName",
};

static DAEMON_SET: Type = Type {
    fields: &[
        ("metadata", Is(&OBJECT_META)),
        ("spec", Is(&DAEMON_SET_SPEC)),
        ("status", Is(&DAEMON_SET_STATUS)),
    ],
    plain: "apiVersion kind",
};

static DAEMON_SET_SPEC: Type = Type {
    fields: &[("template", Is(&POD_TEMPLATE_SPEC))],
    plain: "minReadySeconds revisionHistoryLimit selector updateStrategy",
};

static DAEMON_SET_STATUS: Type = Type {
    fields: &[("conditions", Each(&["type"], None))],
    plain: "collisionCount currentNumberScheduled desiredNumberScheduled numberAvailable \
            numberMisscheduled numberReady numberUnavailable observedGeneration \
            updatedNumberScheduled",
};

static DEPLOYMENT: Type = Type {
    fields: &[
        ("metadata", Is(&OBJECT_META)),
        ("spec", Is(&DEPLOYMENT_SPEC)),
        ("status", Is(&DEPLOYMENT_STATUS)),
    ],
    plain: "apiVersion kind",
};

static DEPLOYMENT_SPEC: Type = Type {
    fields: &[("template", Is(&POD_TEMPLATE_SPEC))],
    plain: "minReadySeconds paused progressDeadlineSeconds replicas revisionHistoryLimit selector \
            strategy",
};

static DEPLOYMENT_STATUS: Type = Type {
    fields: &[("conditions", Each(&["type"], None))],
    plain: "availableReplicas collisionCount observedGeneration readyReplicas replicas \
            unavailableReplicas updatedReplicas",
};

static ENDPOINTS: Type =
    Type { fields: &[("metadata", Is(&OBJECT_META))], plain: "apiVersion kind subsets" };

static ENDPOINT_SLICE: Type = Type {
    fields: &[("metadata", Is(&OBJECT_META))],
    plain: "addressType apiVersion endpoints kind ports",
};

static EPHEMERAL_CONTAINER: Type = Type {
    fields: &[
        ("env", Each(&["name"], None)),
        ("volumeDevices", Each(&["devicePath"], None)),
        ("volumeMounts", Each(&["mountPath"], None)),
    ],
    plain: "args command envFrom image imagePullPolicy lifecycle livenessProbe name ports \
            readinessProbe resources securityContext startupProbe stdin stdinOnce \
            targetContainerName terminationMessagePath terminationMessagePolicy tty workingDir",
};

static EPHEMERAL_VOLUME_SOURCE: Type =
    Type { fields: &[("volumeClaimTemplate", Is(&PERSISTENT_VOLUME_CLAIM_TEMPLATE))], plain: "" };

static EVENT: Type = Type {
    fields: &[("metadata", Is(&OBJECT_META))],
    plain: "action apiVersion deprecatedCount deprecatedFirstTimestamp deprecatedLastTimestamp \
            deprecatedSource eventTime kind note reason regarding related reportingController \
            reportingInstance series type",
};

static EVICTION: Type =
    Type { fields: &[("metadata", Is(&OBJECT_META))], plain: "apiVersion deleteOptions kind" };

static JOB: Type = Type {
    fields: &[("metadata", Is(&OBJECT_META)), ("spec", Is(&JOB_SPEC)), ("status", Is(&JOB_STATUS))],
    plain: "apiVersion kind",
};

static JOB_SPEC: Type = Type {
    fields: &[("template", Is(&POD_TEMPLATE_SPEC))],
    plain: "activeDeadlineSeconds backoffLimit completionMode completions manualSelector parallelism \
            selector suspend ttlSecondsAfterFinished",
};

static JOB_STATUS: Type = Type {
    fields: &[("conditions", Each(&["type"], None))],
    plain: "active completedIndexes completionTime failed startTime succeeded",
};

static JOB_TEMPLATE_SPEC: Type =
    Type { fields: &[("metadata", Is(&OBJECT_META)), ("spec", Is(&JOB_SPEC))], plain: "" };

static KUSTOMIZATION: Type = Type {
    fields: &[
        ("configMapGenerator", Each(&["name"], None)),
        ("secretGenerator", Each(&["name"], None)),
    ],
    plain: "",
};

static REPLICA_SET: Type = Type {
    fields: &[
        ("metadata", Is(&OBJECT_META)),
        ("spec", Is(&REPLICA_SET_SPEC)),
        ("status", Is(&REPLICA_SET_STATUS)),
    ],
    plain: "apiVersion kind",
};

static NAMESPACE: Type = Type {
    fields: &[("metadata", Is(&OBJECT_META)), ("status", Is(&NAMESPACE_STATUS))],
    plain: "apiVersion kind spec",
};

static NAMESPACE_STATUS: Type =
    Type { fields: &[("conditions", Each(&["type"], None))], plain: "phase" };

static NODE: Type = Type {
    fields: &[
        ("metadata", Is(&OBJECT_META)),
        ("spec", Is(&NODE_SPEC)),
        ("status", Is(&NODE_STATUS)),
    ],
    plain: "apiVersion kind",
};

static NODE_SPEC: Type = Type {
    fields: &[("podCIDRs", Each(&[], None))],
    plain: "configSource externalID podCIDR providerID taints unschedulable",
};

static NODE_STATUS: Type = Type {
    fields: &[("addresses", Each(&["type"], None)), ("conditions", Each(&["type"], None))],
    plain: "allocatable capacity config daemonEndpoints images nodeInfo phase volumesAttached \
            volumesInUse",
};

static OBJECT_META: Type = Type {
    fields: &[("finalizers", Each(&[], None)), ("ownerReferences", Each(&["uid"], None))],
    plain: "annotations clusterName creationTimestamp deletionGracePeriodSeconds deletionTimestamp \
            generateName generation labels managedFields name namespace resourceVersion selfLink uid",
};

static PERSISTENT_VOLUME_CLAIM: Type = Type {
    fields: &[("metadata", Is(&OBJECT_META)), ("status", Is(&PERSISTENT_VOLUME_CLAIM_STATUS))],
    plain: "apiVersion kind spec",
};

static PERSISTENT_VOLUME_CLAIM_STATUS: Type =
    Type { fields: &[("conditions", Each(&["type"], None))], plain: "accessModes capacity phase" };

static PERSISTENT_VOLUME_CLAIM_TEMPLATE: Type =
    Type { fields: &[("metadata", Is(&OBJECT_META))], plain: "spec" };

static POD: Type = Type {
    fields: &[("metadata", Is(&OBJECT_META)), ("spec", Is(&POD_SPEC)), ("status", Is(&POD_STATUS))],
    plain: "apiVersion kind",
};

static POD_DISRUPTION_BUDGET: Type = Type {
    fields: &[("metadata", Is(&OBJECT_META)), ("status", Is(&POD_DISRUPTION_BUDGET_STATUS))],
    plain: "apiVersion kind spec",
};

static POD_DISRUPTION_BUDGET_STATUS: Type = Type {
    fields: &[("conditions", Each(&["type"], None))],
    plain: "currentHealthy desiredHealthy disruptedPods disruptionsAllowed expectedPods \
            observedGeneration",
};

static POD_SPEC: Type = Type {
    fields: &[
        ("containers", Each(&["name"], Some(&CONTAINER))),
        ("ephemeralContainers", Each(&["name"], Some(&EPHEMERAL_CONTAINER))),
        ("hostAliases", Each(&["ip"], None)),
        ("imagePullSecrets", Each(&["name"], None)),
        ("initContainers", Each(&["name"], Some(&CONTAINER))),
        ("topologySpreadConstraints", Each(&["topologyKey", "whenUnsatisfiable"], None)),
        ("volumes", Each(&["name"], Some(&VOLUME))),
    ],
    plain: "activeDeadlineSeconds affinity automountServiceAccountToken dnsConfig dnsPolicy \
            enableServiceLinks hostIPC hostNetwork hostPID hostname nodeName nodeSelector overhead \
            preemptionPolicy priority priorityClassName readinessGates restartPolicy \
            runtimeClassName schedulerName securityContext serviceAccount serviceAccountName \
            setHostnameAsFQDN shareProcessNamespace subdomain terminationGracePeriodSeconds \
            tolerations",
};

static POD_STATUS: Type = Type {
    fields: &[("conditions", Each(&["type"], None)), ("podIPs", Each(&["ip"], None))],
    plain: "containerStatuses ephemeralContainerStatuses hostIP initContainerStatuses message \
            nominatedNodeName phase podIP qosClass reason startTime",
};

static POD_TEMPLATE: Type = Type {
    fields: &[("metadata", Is(&OBJECT_META)), ("template", Is(&POD_TEMPLATE_SPEC))],
    plain: "apiVersion kind",
};

static POD_TEMPLATE_SPEC: Type =
    Type { fields: &[("metadata", Is(&OBJECT_META)), ("spec", Is(&POD_SPEC))], plain: "" };

static PRIORITY_CLASS: Type = Type {
    fields: &[("metadata", Is(&OBJECT_META))],
    plain: "apiVersion description globalDefault kind preemptionPolicy value",
};

static REPLICA_SET_SPEC: Type = Type {
    fields: &[("template", Is(&POD_TEMPLATE_SPEC))],
    plain: "minReadySeconds replicas selector",
};

static REPLICA_SET_STATUS: Type = Type {
    fields: &[("conditions", Each(&["type"], None))],
    plain: "availableReplicas fullyLabeledReplicas observedGeneration readyReplicas replicas",
};

static ROLE: Type =
    Type { fields: &[("metadata", Is(&OBJECT_META))], plain: "apiVersion kind rules" };

static ROLE_BINDING: Type =
    Type { fields: &[("metadata", Is(&OBJECT_META))], plain: "apiVersion kind roleRef subjects" };

static RUNTIME_CLASS: Type = Type {
    fields: &[("metadata", Is(&OBJECT_META))],
    plain: "apiVersion handler kind overhead scheduling",
};

static SECRET: Type = Type {
    fields: &[("metadata", Is(&OBJECT_META))],
    plain: "apiVersion data immutable kind stringData type",
};

static SERVICE: Type = Type {
    fields: &[
        ("metadata", Is(&OBJECT_META)),
        ("spec", Is(&SERVICE_SPEC)),
        ("status", Is(&SERVICE_STATUS)),
    ],
    plain: "apiVersion kind",
};

static SERVICE_ACCOUNT: Type = Type {
    fields: &[("metadata", Is(&OBJECT_META)), ("secrets", Each(&["name"], None))],
    plain: "apiVersion automountServiceAccountToken imagePullSecrets kind",
};

static SERVICE_SPEC: Type = Type {
    fields: &[("ports", Each(&["port", "protocol"], None))],
    plain: "allocateLoadBalancerNodePorts clusterIP clusterIPs externalIPs externalName \
            externalTrafficPolicy healthCheckNodePort internalTrafficPolicy ipFamilies \
            ipFamilyPolicy loadBalancerClass loadBalancerIP loadBalancerSourceRanges \
            publishNotReadyAddresses selector sessionAffinity sessionAffinityConfig topologyKeys \
            type",
};

static SERVICE_STATUS: Type =
    Type { fields: &[("conditions", Each(&["type"], None))], plain: "loadBalancer" };

static STATEFUL_SET: Type = Type {
    fields: &[
        ("metadata", Is(&OBJECT_META)),
        ("spec", Is(&STATEFUL_SET_SPEC)),
        ("status", Is(&STATEFUL_SET_STATUS)),
    ],
    plain: "apiVersion kind",
};

static STATEFUL_SET_SPEC: Type = Type {
    fields: &[("template", Is(&POD_TEMPLATE_SPEC))],
    plain: "podManagementPolicy replicas revisionHistoryLimit selector serviceName updateStrategy \
            volumeClaimTemplates",
};

static STATEFUL_SET_STATUS: Type = Type {
    fields: &[("conditions", Each(&["type"], None))],
    plain: "collisionCount currentReplicas currentRevision observedGeneration readyReplicas replicas \
            updateRevision updatedReplicas",
};

static STORAGE_CLASS: Type = Type {
    fields: &[("metadata", Is(&OBJECT_META))],
    plain: "allowVolumeExpansion allowedTopologies apiVersion kind mountOptions parameters \
            provisioner reclaimPolicy volumeBindingMode",
};

static VOLUME: Type = Type {
    fields: &[("ephemeral", Is(&EPHEMERAL_VOLUME_SOURCE))],
    plain: "awsElasticBlockStore azureDisk azureFile cephfs cinder configMap csi downwardAPI \
            emptyDir fc flexVolume flocker gcePersistentDisk gitRepo glusterfs hostPath iscsi name \
            nfs persistentVolumeClaim photonPersistentDisk portworxVolume projected quobyte rbd \
            scaleIO secret storageos vsphereVolume",
};

static WEBHOOK_CONFIGURATION: Type = Type {
    fields: &[("metadata", Is(&OBJECT_META)), ("webhooks", Each(&["name"], None))],
    plain: "apiVersion kind",
};

static WITH_SPEC: Type =
    Type { fields: &[("metadata", Is(&OBJECT_META))], plain: "apiVersion kind spec" };

static WITH_SPEC_AND_STATUS: Type =
    Type { fields: &[("metadata", Is(&OBJECT_META))], plain: "apiVersion kind spec status" };
