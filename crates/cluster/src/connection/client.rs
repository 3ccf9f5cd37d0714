//! What sends requests.

use std::time::Duration;

use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use kube::client::{ClientBuilder, ConfigExt};
use tower::BoxError;
use tower::util::MapErr;

use crate::request::failure;

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(10);
/// How often a silent connection is asked whether it lives.
const KEEPALIVE: Duration = Duration::from_secs(30);

/// Makes a client, or says why not. Programs that hand out credentials are run by this, and take their time.
pub(super) async fn make(mut config: kube::Config) -> Result<kube::Client, String> {
    config.connect_timeout = Some(CONNECT);
    let made = tokio::task::spawn_blocking(move || match config.proxy_url {
        Some(_) => kube::Client::try_from(config),
        None => direct(&config),
    });
    match made.await {
        Ok(made) => made.map_err(|error| failure::words(&error)),
        Err(_) => Err("the client could not be made".to_owned()),
    }
}

/// The client that kube would make, but one that sends at once what it has: otherwise the end of a larger object lies
/// around until the server has confirmed the beginning, which some do only after 40 ms.
fn direct(config: &kube::Config) -> Result<kube::Client, kube::Error> {
    let mut connector = HttpConnector::new();
    connector.enforce_http(false);
    connector.set_nodelay(true);
    connector.set_connect_timeout(config.connect_timeout);
    connector.set_keepalive(Some(KEEPALIVE));
    let connector = config.rustls_https_connector_with_connector(connector)?;
    let client = legacy::Client::builder(TokioExecutor::new()).build(connector);
    // Who adds credentials may fail too: all failures are of one type.
    let client = MapErr::new(client, BoxError::from);
    let client = ClientBuilder::new(client, config.default_namespace.as_str())
        .with_layer(&config.extra_headers_layer()?);
    Ok(match config.auth_layer()? {
        Some(auth) => client.with_layer(&auth).with_layer(&config.base_uri_layer()).build(),
        None => client.with_layer(&config.base_uri_layer()).build(),
    })
}
