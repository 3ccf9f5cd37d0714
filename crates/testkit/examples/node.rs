//! Plays the node of a local control plane, for as long as its standard input is open: `node KUBECONFIG NAMESPACE`.
//!
//! Pods run and are ready at once, but for those of an image that is called broken: they crash, over and over.

use std::path::Path;

use k8s_openapi::api::core::v1::Pod;
use kelson_testkit::{Fate, Kubelet};

/// What a broken container prints before it ends.
const LOG: &str = "reading /etc/shop/shop.conf\npanic: no such file: /etc/shop/shop.conf\n";

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kubeconfig, namespace] = arguments.as_slice() else {
        return Err("usage: node KUBECONFIG NAMESPACE".into());
    };
    let client = Kubelet::client(Path::new(kubeconfig)).await?;
    let _kubelet = Kubelet::start(client, "node", namespace, fate).await?;
    let closed = || std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
    tokio::task::spawn_blocking(closed).await??;
    Ok(())
}

fn fate(pod: &Pod) -> Fate {
    let containers = pod.spec.iter().flat_map(|spec| &spec.containers);
    let mut images = containers.filter_map(|container| container.image.as_deref());
    match images.any(|image| image.ends_with("broken")) {
        true => Fate::CrashLoop { log: LOG.to_owned() },
        false => Fate::Ready,
    }
}
