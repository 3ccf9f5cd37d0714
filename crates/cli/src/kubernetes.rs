//! How a cluster is reached, as kubectl's flags.

use std::path::PathBuf;
use std::time::Duration;

use kelson_cluster::{Cluster, Connection};
use kelson_model::Secret;

use crate::duration;

/// How a cluster is reached; as kubectl names these flags.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Kubernetes options")]
#[group(skip)]
pub(crate) struct Flags {
    /// The kubeconfig file; otherwise those in KUBECONFIG, then ~/.kube/config.
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// The context in the kubeconfig.
    #[arg(long, value_name = "NAME")]
    context: Option<String>,
    /// The cluster in the kubeconfig.
    #[arg(long, value_name = "NAME")]
    cluster: Option<String>,
    /// The user in the kubeconfig.
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// The address of the API server.
    #[arg(short, long, value_name = "URL")]
    server: Option<String>,
    /// A bearer token for the API server.
    #[arg(long, value_name = "TOKEN", value_parser = crate::registry::secret)]
    token: Option<Secret>,
    /// The user to act as.
    #[arg(long = "as", value_name = "USER")]
    impersonate: Option<String>,
    /// A group to act as; may be repeated.
    #[arg(long = "as-group", value_name = "GROUP")]
    impersonate_groups: Vec<String>,
    /// The uid to act as.
    #[arg(long = "as-uid", value_name = "UID")]
    impersonate_uid: Option<String>,
    /// A file with the certificate of the authority to believe about the API server.
    #[arg(long, value_name = "FILE")]
    certificate_authority: Option<PathBuf>,
    /// Our own certificate for the API server.
    #[arg(long, value_name = "FILE")]
    client_certificate: Option<PathBuf>,
    /// The key of our own certificate.
    #[arg(long, value_name = "FILE")]
    client_key: Option<PathBuf>,
    /// The name that the API server's certificate must have.
    #[arg(long, value_name = "NAME")]
    tls_server_name: Option<String>,
    /// Do not check the API server's certificate.
    #[arg(long)]
    insecure_skip_tls_verify: bool,
    /// How long one request may take, such as 30s; 0 for as long as it wants.
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = duration::parse)]
    request_timeout: Duration,
    /// How many requests may be under way at once.
    #[arg(long, value_name = "NUMBER", default_value = "16", value_parser = clap::value_parser!(u16).range(1..=256))]
    parallel: u16,
}

impl Flags {
    /// A cluster that is reached so. No request is made yet.
    pub(crate) async fn connect(&self) -> anyhow::Result<Cluster> {
        Ok(Cluster::connect(&self.connection()).await?)
    }

    /// Whether they say which cluster it is.
    pub(crate) fn names_cluster(&self) -> bool {
        let named = [&self.context, &self.cluster, &self.server];
        self.kubeconfig.is_some() || named.iter().any(|name| name.is_some())
    }

    /// What they say about it.
    pub(crate) fn connection(&self) -> Connection {
        Connection {
            kubeconfig: self.kubeconfig.clone(),
            kubeconfig_text: None,
            variables: std::collections::BTreeMap::new(),
            context: self.context.clone(),
            cluster: self.cluster.clone(),
            user: self.user.clone(),
            server: self.server.clone(),
            token: self.token.clone(),
            impersonate: self.impersonate.clone(),
            impersonate_groups: self.impersonate_groups.clone(),
            impersonate_uid: self.impersonate_uid.clone(),
            certificate_authority: self.certificate_authority.clone(),
            client_certificate: self.client_certificate.clone(),
            client_key: self.client_key.clone(),
            tls_server_name: self.tls_server_name.clone(),
            insecure: self.insecure_skip_tls_verify,
            request_timeout: Some(self.request_timeout).filter(|limit| !limit.is_zero()),
            parallel: usize::from(self.parallel),
        }
    }
}
