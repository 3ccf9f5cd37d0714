//! What Helm is asked for: an entry of `helmCharts` as a value that an edge can render.

use std::sync::Arc;

use kelson_model::{Answer, Chart, Request, ValuesMerge};
use kelson_yaml::emit;

use crate::context::Context;
use crate::decode::Str;
use crate::fault::{Fault, Result};
use crate::kustomization::{HelmChart, HelmGlobals};
use crate::loader::{Loader, join};
use crate::read;
use crate::resource::Resource;

/// The objects of a chart, once an edge has rendered it.
pub(crate) fn objects(
    context: &mut Context<'_>,
    chart: Chart,
    asked: &HelmChart,
) -> Result<Vec<Resource>> {
    let name = format!("chart {}", chart.name);
    let bytes = match context.answer(Request::Chart(Box::new(chart)), asked.span)? {
        Answer::Bytes(bytes) => bytes,
        Answer::Failed(why) => return Err(Fault::new("chart-failed", why).at(asked.span, "")),
        Answer::Tree(_) => {
            let fault = Fault::new("chart-failed", "a chart was answered with a directory");
            return Err(fault.at(asked.span, ""));
        }
    };
    let file = context.keep(name, bytes);
    let text = file.text.clone().unwrap_or_else(|| Arc::from(""));
    let mut resources = read::resources(&text, file.at, context.options.places)
        .map_err(|fault| fault.wrap("could not parse bytes into resource map"))?;
    for resource in &mut resources {
        resource.is_helm = true;
    }
    Ok(resources)
}

/// Checks an entry and says everything Helm must know.
pub(crate) fn request(
    context: &mut Context<'_>,
    loader: &Loader,
    chart: &HelmChart,
    globals: Option<&HelmGlobals>,
    namespace: &str,
) -> Result<Chart> {
    check(context, chart)?;
    let home = home_of(loader, chart, globals);
    let mut read = |path: &Str| -> Result<(String, String)> {
        let file = loader.load(context, path, path.span)?;
        let text = file.text.as_deref().unwrap_or_default().to_owned();
        Ok((loader.path_of(path), text))
    };
    let values = match chart.values_file.is_empty() {
        true => None,
        false => Some(read(&chart.values_file)?),
    };
    let more_values: Result<Vec<_>> = chart.additional_values_files.iter().map(read).collect();
    let more_values =
        more_values.map_err(|fault| fault.wrap("could not load additionalValuesFile"))?;
    let options = context.options;
    let text = |text: &Str| text.to_string();
    Ok(Chart {
        name: text(&chart.name),
        version: text(&chart.version),
        repository: text(&chart.repo),
        release: text(&chart.release_name),
        namespace: namespace.to_owned(),
        name_template: text(&chart.name_template),
        home,
        config_home: globals.map(|globals| text(&globals.config_home)).unwrap_or_default(),
        values,
        more_values,
        inline: inline(chart)?,
        merge: merge_of(&chart.values_merge)?,
        include_crds: chart.include_crds,
        skip_hooks: chart.skip_hooks,
        skip_tests: chart.skip_tests,
        devel: chart.devel,
        debug: chart.debug || options.helm_debug,
        api_versions: if chart.api_versions.is_empty() {
            options.helm_api_versions.clone()
        } else {
            chart.api_versions.iter().map(text).collect()
        },
        kube_version: if chart.kube_version.is_empty() {
            options.helm_kube_version.clone()
        } else {
            text(&chart.kube_version)
        },
    })
}

/// Refuses charts that nobody allowed or named.
fn check(context: &Context<'_>, chart: &HelmChart) -> Result<()> {
    if !context.options.enable_helm {
        return Err(Fault::new("helm-disabled", "must specify --enable-helm")
            .saying("charts are rendered only with --enable-helm")
            .at(chart.span, "this chart"));
    }
    if chart.name.is_empty() {
        let fault = Fault::new("chart-without-name", "chart name cannot be empty");
        return Err(fault.at(chart.span, ""));
    }
    Ok(())
}

/// The directory that holds the chart.
fn home_of(loader: &Loader, chart: &HelmChart, globals: Option<&HelmGlobals>) -> String {
    let home = match globals {
        Some(globals) if !globals.chart_home.is_empty() => &*globals.chart_home,
        _ => "charts",
    };
    let home = loader.path_of(home);
    if chart.version.is_empty() || chart.repo.is_empty() {
        home
    } else {
        join(&home, &format!("{}-{}", &*chart.name, &*chart.version))
    }
}

fn inline(chart: &HelmChart) -> Result<String> {
    let mut text = String::new();
    if let Some(node) = &chart.values_inline.node {
        emit::canonical(node, &mut text)
            .map_err(|error| Fault::new("emit", error.message).at(error.span, ""))?;
    }
    Ok(text)
}

fn merge_of(word: &Str) -> Result<ValuesMerge> {
    match &**word {
        "" | "override" => Ok(ValuesMerge::Override),
        "merge" => Ok(ValuesMerge::Merge),
        "replace" => Ok(ValuesMerge::Replace),
        _ => {
            let text = "valuesMerge must be one of [merge override replace]";
            Err(Fault::new("wrong-value", text).at(word.span, ""))
        }
    }
}
