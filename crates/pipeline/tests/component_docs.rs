//! The examples of the page about components are built, and become what the page says.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

#[path = "component_build/bench.rs"]
#[expect(dead_code, reason = "the page needs a part of it")]
mod bench;

use bench::{Bench, INLINE};
use kelson_testkit::{GitServer, cannot_run};

const PAGE: &str = include_str!("../../../docs/components.md");

/// A block of code: what follows its language, and its text.
fn blocks() -> Vec<(&'static str, &'static str)> {
    let mut blocks = Vec::new();
    let mut rest = PAGE;
    while let Some((_, after)) = rest.split_once("\n```") {
        let (info, after) = after.split_once('\n').unwrap();
        let (text, after) = after.split_once("\n```").unwrap();
        blocks.push((info.split_once(' ').map_or("", |(_, name)| name), text));
        rest = after;
    }
    blocks
}

#[tokio::test]
async fn the_page_about_components_tells_the_truth() {
    let test = "the_page_about_components_tells_the_truth";
    let server = match GitServer::start() {
        Ok(server) => server,
        Err(error) => return cannot_run(test, &error.to_string()),
    };
    let blocks = blocks();
    let named = |wanted: &str| -> Vec<&str> {
        blocks.iter().filter(|(name, _)| *name == wanted).map(|(_, text)| *text).collect()
    };
    let files: Vec<(&str, &str)> =
        blocks.iter().filter(|(name, _)| name.contains('/')).copied().collect();
    let repository = server.repository("shop", &files).unwrap();
    let vendor = Bench::new("docs-vendor");
    vendor.build("vendor", INLINE, "v2.3.1").await.unwrap();
    let (components, results) = (named("component"), named("result"));
    assert_eq!((components.len(), results.len()), (3, 2));
    let bench = Bench::new("docs");
    for (number, component) in components.iter().enumerate() {
        let component = component
            .replace("acme/shop", &repository.url)
            .replace("oci://ghcr.io/vendor/app-manifests", &vendor.place());
        let tag = format!("v{number}");
        bench.build("docs", &component, &tag).await.unwrap();
        let expected = match results.get(number) {
            Some(result) => format!("{result}\n"),
            None => vendor.content("v2.3.1").await,
        };
        assert_eq!(bench.content(&tag).await, expected);
    }
}
