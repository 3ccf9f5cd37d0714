//! Regular trees for measuring: the number of resources is all that grows.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What a tree exercises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Four kinds that name each other under prefix, namespace, labels with selectors, images, a
    /// patch on every Deployment, and a few generators.
    Overlay,
    /// The same resources below ten layers, each of which changes all of them.
    Layers,
    /// A replacement for every fourth resource.
    Replacements,
    /// ConfigMaps of some 4 KiB, every tenth generated from a file.
    ConfigMaps,
}

impl Shape {
    /// Every shape, in the order of a report.
    pub(crate) const ALL: [Self; 4] =
        [Self::Overlay, Self::Layers, Self::Replacements, Self::ConfigMaps];

    /// The name in a report.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Overlay => "overlay",
            Self::Layers => "layers",
            Self::Replacements => "replacements",
            Self::ConfigMaps => "configmaps",
        }
    }
}

/// Writes a tree of about `resources` resources below `dir` and says which directory to build.
pub(crate) fn bench(shape: Shape, resources: usize, dir: &Path) -> io::Result<PathBuf> {
    match shape {
        Shape::Overlay => overlay(resources, dir),
        Shape::Layers => layers(resources, dir),
        Shape::Replacements => replacements(resources, dir),
        Shape::ConfigMaps => config_maps(resources, dir),
    }
}

/// How many quadruples of resources share a file.
const PER_FILE: usize = 25;

/// Writes Deployments, Services, ConfigMaps and ServiceAccounts, a fourth of each.
fn quadruples(resources: usize, dir: &Path) -> io::Result<()> {
    let count = resources.div_ceil(4);
    let mut kustomization = String::from("resources:\n");
    for first in (0..count).step_by(PER_FILE) {
        let mut content = String::new();
        for index in first..count.min(first + PER_FILE) {
            if index > first {
                content.push_str("---\n");
            }
            quadruple(index, &mut content);
        }
        let name = format!("part-{first}.yaml");
        let _ = writeln!(kustomization, "- {name}");
        write_file(dir, &name, &content)?;
    }
    write_file(dir, "kustomization.yaml", &kustomization)
}

fn quadruple(index: usize, out: &mut String) {
    let _ = write!(
        out,
        "apiVersion: apps/v1
kind: Deployment
metadata:
  name: app-{index}
  labels:
    app: app-{index}
spec:
  replicas: 2
  selector:
    matchLabels:
      app: app-{index}
  template:
    metadata:
      labels:
        app: app-{index}
    spec:
      serviceAccountName: app-{index}
      containers:
      - name: main
        image: nginx:1.25
        ports:
        - containerPort: 8080
        env:
        - name: LOG_LEVEL
          valueFrom:
            configMapKeyRef:
              name: app-{index}
              key: level
        envFrom:
        - configMapRef:
            name: shared-{shared}
        volumeMounts:
        - name: config
          mountPath: /etc/app
      volumes:
      - name: config
        configMap:
          name: app-{index}
---
apiVersion: v1
kind: Service
metadata:
  name: app-{index}
spec:
  selector:
    app: app-{index}
  ports:
  - port: 80
    targetPort: 8080
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: app-{index}
data:
  level: info
  app.conf: |
    listen 8080
    name app-{index}
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: app-{index}
",
        shared = index % 4
    );
}

const GENERATORS: &str = "configMapGenerator:
- name: shared-0
  literals: [region=eu]
- name: shared-1
  literals: [region=us]
- name: shared-2
  literals: [region=asia]
- name: shared-3
  literals: [region=africa]
secretGenerator:
- name: token
  literals: [token=secret]
";

const PATCH: &str = "patches:
- target:
    kind: Deployment
  patch: |-
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: any
    spec:
      template:
        spec:
          containers:
          - name: main
            resources:
              limits:
                cpu: 500m
                memory: 128Mi
";

fn overlay(resources: usize, dir: &Path) -> io::Result<PathBuf> {
    quadruples(resources, &dir.join("base"))?;
    let kustomization = format!(
        "resources:
- ../base
namePrefix: prod-
namespace: shop
labels:
- pairs:
    env: prod
  includeSelectors: true
images:
- name: nginx
  newTag: \"1.27\"
{PATCH}{GENERATORS}"
    );
    write_file(&dir.join("overlay"), "kustomization.yaml", &kustomization)?;
    Ok(dir.join("overlay"))
}

fn layers(resources: usize, dir: &Path) -> io::Result<PathBuf> {
    quadruples(resources, &dir.join("layer0"))?;
    for layer in 1..=10 {
        let mut kustomization = format!(
            "resources:
- ../layer{below}
namePrefix: l{layer}-
commonAnnotations:
  layer: \"{layer}\"
  layer{layer}: seen
labels:
- pairs:
    layer{layer}: seen
",
            below = layer - 1
        );
        if layer == 5 {
            kustomization.push_str(PATCH);
        }
        if layer == 1 {
            kustomization.push_str(GENERATORS);
        }
        write_file(&dir.join(format!("layer{layer}")), "kustomization.yaml", &kustomization)?;
    }
    Ok(dir.join("layer10"))
}

fn replacements(resources: usize, dir: &Path) -> io::Result<PathBuf> {
    quadruples(resources, &dir.join("base"))?;
    let mut kustomization =
        format!("resources:\n- ../base\nnamePrefix: prod-\n{GENERATORS}replacements:\n");
    for index in 0..resources.div_ceil(4) {
        let _ = write!(
            kustomization,
            "- source:
    kind: ConfigMap
    name: app-{index}
    fieldPath: data.level
  targets:
  - select:
      kind: Deployment
      name: app-{index}
    fieldPaths:
    - metadata.annotations.level
    - spec.template.metadata.annotations.level
    options:
      create: true
"
        );
    }
    write_file(&dir.join("overlay"), "kustomization.yaml", &kustomization)?;
    Ok(dir.join("overlay"))
}

fn config_maps(resources: usize, dir: &Path) -> io::Result<PathBuf> {
    let overlay = dir.join("overlay");
    let mut listed = String::from("namePrefix: prod-\nnamespace: shop\nresources:\n");
    let mut generated = String::from("configMapGenerator:\n");
    for index in 0..resources {
        let text = large_text(index);
        if index % 10 == 0 {
            let name = format!("data-{index}.conf");
            let _ = writeln!(generated, "- name: generated-{index}\n  files: [app.conf={name}]");
            write_file(&overlay, &name, &text)?;
        } else {
            let mut content = format!(
                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: written-{index}\ndata:\n  app.conf: |\n"
            );
            for line in text.lines() {
                let _ = writeln!(content, "    {line}");
            }
            let name = format!("map-{index}.yaml");
            let _ = writeln!(listed, "- {name}");
            write_file(&overlay, &name, &content)?;
        }
    }
    listed.push_str(&generated);
    write_file(&overlay, "kustomization.yaml", &listed)?;
    Ok(overlay)
}

/// About 4 KiB of lines such as configuration files have.
fn large_text(index: usize) -> String {
    let mut text = String::new();
    for line in 0..80 {
        let _ = writeln!(
            text,
            "setting.{line} = \"value {index} of line {line}, neither short nor long\""
        );
    }
    text
}

fn write_file(dir: &Path, name: &str, content: &str) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    fs::write(dir.join(name), content)
}
