//! Every field of a kustomization file, typed, each value with its place.

use kelson_yaml::Node;

use crate::decode::value::{Map, read_text};
use crate::decode::{Decode, Raw, Reader, Str, record};

record! {
    /// A kustomization or a component.
    Kustomization = "types" "Kustomization" {
        kind: Str = "TypeMeta.kind",
        api_version: Str = "TypeMeta.apiVersion",
        metadata: Option<Metadata> = "metadata",
        openapi: Map = "openapi",
        name_prefix: Str = "namePrefix",
        name_suffix: Str = "nameSuffix",
        namespace: Str = "namespace",
        common_labels: Map = "commonLabels",
        labels: Vec<Label> = "labels",
        common_annotations: Map = "commonAnnotations",
        patches_strategic_merge: Vec<SmPatch> = "patchesStrategicMerge",
        patches_json: Vec<Patch> = "patchesJson6902",
        patches: Vec<Patch> = "patches",
        images: Vec<Image> = "images",
        image_tags: Vec<Image> = "imageTags",
        replacements: Vec<ReplacementField> = "replacements",
        replicas: Vec<Replica> = "replicas",
        vars: Vec<Var> = "vars",
        sort_options: Option<SortOptions> = "sortOptions",
        resources: Vec<Str> = "resources",
        components: Vec<Str> = "components",
        crds: Vec<Str> = "crds",
        bases: Vec<Str> = "bases",
        config_maps: Vec<ConfigMapArgs> = "configMapGenerator",
        secrets: Vec<SecretArgs> = "secretGenerator",
        helm_globals: Option<HelmGlobals> = "helmGlobals",
        helm_charts: Vec<HelmChart> = "helmCharts",
        old_charts: Vec<OldChart> = "helmChartInflationGenerator",
        generator_options: Option<GeneratorOptions> = "generatorOptions",
        configurations: Vec<Str> = "configurations",
        generators: Vec<Str> = "generators",
        transformers: Vec<Str> = "transformers",
        validators: Vec<Str> = "validators",
        build_metadata: Vec<Str> = "buildMetadata",
    }
}

record! {
    /// `metadata`, which a kustomization may have and nobody reads, and which plugins do.
    Metadata = "types" "ObjectMeta" {
        name: Str = "name",
        namespace: Str = "namespace",
        labels: Map = "labels",
        annotations: Map = "annotations",
    }
}

record! {
    /// One entry of `labels`.
    Label = "types" "Label" {
        pairs: Map = "pairs",
        include_selectors: bool = "includeSelectors",
        include_templates: bool = "includeTemplates",
        fields: Vec<FieldSpecField> = "fields",
    }
}

record! {
    /// Where a transformer writes.
    FieldSpecField = "types" "FieldSpec" {
        group: Str = "Gvk.group",
        version: Str = "Gvk.version",
        kind: Str = "Gvk.kind",
        path: Str = "path",
        create: bool = "create",
    }
}

record! {
    /// Which objects are meant.
    SelectorField = "types" "Selector" {
        group: Str = "ResId.Gvk.group",
        version: Str = "ResId.Gvk.version",
        kind: Str = "ResId.Gvk.kind",
        name: Str = "ResId.name",
        namespace: Str = "ResId.namespace",
        annotation_selector: Str = "annotationSelector",
        label_selector: Str = "labelSelector",
    }
}

record! {
    /// One entry of `patches` or `patchesJson6902`.
    Patch = "types" "Patch" {
        path: Str = "path",
        patch: Str = "patch",
        target: Option<SelectorField> = "target",
        options: Option<PatchOptions> = "options",
    }
}

record! {
    /// What a patch may change beyond the rest.
    PatchOptions = "types" "PatchArgs" {
        allow_name_change: bool = "allowNameChange",
        allow_kind_change: bool = "allowKindChange",
    }
}

record! {
    /// One entry of `images`.
    Image = "types" "Image" {
        name: Str = "name",
        new_name: Str = "newName",
        tag_suffix: Str = "tagSuffix",
        new_tag: Str = "newTag",
        digest: Str = "digest",
    }
}

record! {
    /// One entry of `replicas`.
    Replica = "types" "Replica" {
        name: Str = "name",
        count: Count = "count",
    }
}

/// A whole number with its place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Count {
    pub(crate) value: i64,
    pub(crate) at: Option<kelson_yaml::Span>,
}

impl Decode for Count {
    fn go_type() -> String {
        "int64".to_owned()
    }

    fn decode(&mut self, node: &Node, reader: &mut Reader) {
        self.value.decode(node, reader);
        self.at = Some(node.span);
    }
}

record! {
    /// One entry of `replacements`: a file, or the replacement itself.
    ReplacementField = "types" "ReplacementField" {
        source: Option<ReplacementSource> = "Replacement.source",
        targets: Vec<Option<ReplacementTarget>> = "Replacement.targets",
        source_value: Option<Str> = "Replacement.sourceValue",
        path: Str = "path",
    }
}

record! {
    /// A replacement in a file of its own.
    ReplacementInFile = "types" "Replacement" {
        source: Option<ReplacementSource> = "source",
        targets: Vec<Option<ReplacementTarget>> = "targets",
        source_value: Option<Str> = "sourceValue",
    }
}

record! {
    /// Where a replacement takes its value.
    ReplacementSource = "types" "SourceSelector" {
        group: Str = "ResId.Gvk.group",
        version: Str = "ResId.Gvk.version",
        kind: Str = "ResId.Gvk.kind",
        name: Str = "ResId.name",
        namespace: Str = "ResId.namespace",
        field_path: Str = "fieldPath",
        options: Option<FieldOptions> = "options",
    }
}

record! {
    /// Where a replacement puts it.
    ReplacementTarget = "types" "TargetSelector" {
        select: Option<SelectorField> = "select",
        reject: Vec<Option<SelectorField>> = "reject",
        field_paths: Vec<Str> = "fieldPaths",
        options: Option<FieldOptions> = "options",
    }
}

record! {
    /// Which part of a text is meant.
    FieldOptions = "types" "FieldOptions" {
        delimiter: Str = "delimiter",
        index: i64 = "index",
        encoding: Str = "encoding",
        create: bool = "create",
    }
}

record! {
    /// One entry of `vars`.
    Var = "types" "Var" {
        name: Str = "name",
        object: VarTarget = "objref",
        field: VarField = "fieldref",
    }
}

record! {
    /// The object a variable reads.
    VarTarget = "types" "Target" {
        api_version: Str = "apiVersion",
        group: Str = "Gvk.group",
        version: Str = "Gvk.version",
        kind: Str = "Gvk.kind",
        name: Str = "name",
        namespace: Str = "namespace",
    }
}

record! {
    /// The field a variable reads.
    VarField = "types" "FieldSelector" {
        path: Str = "fieldPath",
    }
}

record! {
    /// `sortOptions`.
    SortOptions = "types" "SortOptions" {
        order: SortOrder = "order",
        legacy: Option<LegacySortOptions> = "legacySortOptions",
    }
}

record! {
    /// Kinds that go first and last.
    LegacySortOptions = "types" "LegacySortOptions" {
        first: Vec<Str> = "orderFirst",
        last: Vec<Str> = "orderLast",
    }
}

record! {
    /// One entry of `configMapGenerator`.
    ConfigMapArgs = "types" "ConfigMapArgs" {
        namespace: Str = "GeneratorArgs.namespace",
        name: Str = "GeneratorArgs.name",
        behavior: Str = "GeneratorArgs.behavior",
        literals: Vec<Str> = "GeneratorArgs.KvPairSources.literals",
        files: Vec<Str> = "GeneratorArgs.KvPairSources.files",
        envs: Vec<Str> = "GeneratorArgs.KvPairSources.envs",
        env: Str = "GeneratorArgs.KvPairSources.env",
        options: Option<GeneratorOptions> = "GeneratorArgs.options",
    }
}

record! {
    /// One entry of `secretGenerator`.
    SecretArgs = "types" "SecretArgs" {
        namespace: Str = "GeneratorArgs.namespace",
        name: Str = "GeneratorArgs.name",
        behavior: Str = "GeneratorArgs.behavior",
        literals: Vec<Str> = "GeneratorArgs.KvPairSources.literals",
        files: Vec<Str> = "GeneratorArgs.KvPairSources.files",
        envs: Vec<Str> = "GeneratorArgs.KvPairSources.envs",
        env: Str = "GeneratorArgs.KvPairSources.env",
        options: Option<GeneratorOptions> = "GeneratorArgs.options",
        kind: Str = "type",
    }
}

record! {
    /// What generated objects get beside their data.
    GeneratorOptions = "types" "GeneratorOptions" {
        labels: Map = "labels",
        annotations: Map = "annotations",
        disable_hash: bool = "disableNameSuffixHash",
        immutable: Flag = "immutable",
    }
}

/// A truth value with its place.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flag {
    pub(crate) value: bool,
    pub(crate) at: Option<kelson_yaml::Span>,
}

impl Decode for Flag {
    fn go_type() -> String {
        "bool".to_owned()
    }

    fn decode(&mut self, node: &Node, reader: &mut Reader) {
        self.value.decode(node, reader);
        self.at = Some(node.span);
    }
}

record! {
    /// What all charts share.
    HelmGlobals = "types" "HelmGlobals" {
        chart_home: Str = "chartHome",
        config_home: Str = "configHome",
    }
}

record! {
    /// One entry of `helmCharts`.
    HelmChart = "types" "HelmChart" {
        name: Str = "name",
        version: Str = "version",
        repo: Str = "repo",
        release_name: Str = "releaseName",
        namespace: Str = "namespace",
        additional_values_files: Vec<Str> = "additionalValuesFiles",
        values_file: Str = "valuesFile",
        values_inline: Raw = "valuesInline",
        values_merge: Str = "valuesMerge",
        include_crds: bool = "includeCRDs",
        skip_hooks: bool = "skipHooks",
        api_versions: Vec<Str> = "apiVersions",
        kube_version: Str = "kubeVersion",
        name_template: Str = "nameTemplate",
        skip_tests: bool = "skipTests",
        debug: bool = "debug",
        devel: bool = "devel",
    }
}

record! {
    /// One entry of `helmChartInflationGenerator`, the older form of `helmCharts`.
    OldChart = "types" "HelmChartArgs" {
        chart_name: Str = "chartName",
        chart_version: Str = "chartVersion",
        chart_repo_url: Str = "chartRepoUrl",
        chart_home: Str = "chartHome",
        chart_repo_name: Str = "chartRepoName",
        helm_bin: Str = "helmBin",
        helm_home: Str = "helmHome",
        values: Str = "values",
        values_local: Raw = "valuesLocal",
        values_merge: Str = "valuesMerge",
        release_name: Str = "releaseName",
        release_namespace: Str = "releaseNamespace",
        extra_args: Vec<Str> = "extraArgs",
    }
}

/// Declares text that has a type of its own in Go, which messages name.
macro_rules! named_text {
    ($(#[$meta:meta])* $name:ident = $go:literal) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default)]
        pub(crate) struct $name(pub(crate) Str);

        impl Decode for $name {
            fn go_type() -> String {
                $go.to_owned()
            }

            fn decode(&mut self, node: &Node, reader: &mut Reader) {
                read_text(&mut self.0, node, reader, $go);
            }
        }
    };
}

named_text! {
    /// `legacy` or `fifo`.
    SortOrder = "types.SortOrder"
}
named_text! {
    /// A file of patches, or the patches themselves.
    SmPatch = "types.PatchStrategicMerge"
}
