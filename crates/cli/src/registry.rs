//! How registries are reached, as flags.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use kelson_artifact::credentials::Keychain;
use kelson_artifact::registry::{Client, Given, Options, Proxies};
use kelson_artifact::{Place, Reference, Store};
use kelson_model::Secret;

/// How registries are reached.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Registry options")]
#[group(skip)]
pub(crate) struct Flags {
    /// Credentials for the registry that is named first, instead of those that Docker and Podman know.
    #[arg(
        long,
        value_name = "USER:PASSWORD",
        env = "KELSON_CREDS",
        hide_env_values = true,
        value_parser = secret
    )]
    creds: Option<Secret>,
    /// Speak plain HTTP; on the loopback interface that needs no asking.
    #[arg(long, visible_alias = "insecure-registry")]
    plain_http: bool,
    /// Do not check the registry's certificate.
    #[arg(long)]
    skip_registry_tls_verify: bool,
    /// A file of certificates, as PEM, of authorities to believe besides the system's; may be repeated.
    #[arg(long, value_name = "FILE")]
    ca_file: Vec<PathBuf>,
    /// Our own certificate for the registry, as PEM.
    #[arg(long, value_name = "FILE", requires = "key_file")]
    cert_file: Option<PathBuf>,
    /// The key of our own certificate, as PEM.
    #[arg(long, value_name = "FILE", requires = "cert_file")]
    key_file: Option<PathBuf>,
    /// How often to try again what failed for a reason that may pass.
    #[arg(long, value_name = "NUMBER", default_value_t = 4)]
    retries: u32,
    /// For how long nothing may come from a registry before it counts as gone, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    stall_timeout: u64,
}

/// Takes any text: an error here would repeat it.
pub(crate) fn secret(text: &str) -> Result<Secret, std::convert::Infallible> {
    Ok(Secret::new(text))
}

impl Flags {
    /// A client that reaches registries so; the first repository of the references is whom credentials are for.
    pub(crate) fn client(&self, references: &[&Reference]) -> anyhow::Result<Client> {
        let first = references.iter().find_map(|reference| host(reference));
        let credentials = first.zip(self.creds.as_ref()).map(|(host, creds)| given(host, creds));
        Ok(Client::new(Options {
            credentials: credentials.into_iter().collect::<anyhow::Result<_>>()?,
            ..self.options()?
        })?)
    }

    /// What such a client is told, but for credentials.
    pub(crate) fn options(&self) -> anyhow::Result<Options> {
        let variable = |name: &str| std::env::var_os(name);
        let home = variable("HOME").map(PathBuf::from);
        let authorities = self.ca_file.iter().map(|path| read(path)).collect::<Result<_, _>>()?;
        let certificate = match (&self.cert_file, &self.key_file) {
            (Some(certificate), Some(key)) => {
                let key = String::from_utf8(read(key)?).context("the key is not PEM")?;
                Some((read(certificate)?, Secret::new(key)))
            }
            _ => None,
        };
        Ok(Options {
            keychain: Keychain::from_environment(variable, home.as_deref()),
            plain_http: self.plain_http,
            insecure_tls: self.skip_registry_tls_verify,
            authorities,
            certificate,
            proxies: proxies(),
            retries: self.retries,
            stall_timeout: Duration::from_secs(self.stall_timeout.max(1)),
            jitter: u64::from(std::process::id()),
            ..Options::default()
        })
    }
}

/// The registry that a reference names.
pub(crate) fn host(reference: &Reference) -> Option<&str> {
    match &reference.place {
        Place::Repository { host, .. } => Some(host),
        Place::Directory(_) | Place::Tar(_) => None,
    }
}

/// Credentials as they are typed, for one registry.
pub(crate) fn given(host: &str, creds: &Secret) -> anyhow::Result<Given> {
    let (user, password) = creds
        .expose()
        .split_once(':')
        .context("credentials have no colon: USER:PASSWORD is expected")?;
    Ok(Given {
        host: Some(host.to_owned()),
        user: user.to_owned(),
        password: Secret::new(password),
    })
}

/// Who forwards requests, by the variables that everybody knows.
fn proxies() -> Proxies {
    let variable = |names: [&str; 2]| {
        names.into_iter().find_map(|name| std::env::var(name).ok()).filter(|it| !it.is_empty())
    };
    // `HTTP_PROXY` in capitals may come from a request's header where a server runs us; curl passes it over too.
    Proxies {
        http: variable(["http_proxy", "all_proxy"]).map(Secret::new),
        https: variable(["https_proxy", "HTTPS_PROXY"])
            .or_else(|| variable(["all_proxy", "ALL_PROXY"]))
            .map(Secret::new),
        except: variable(["no_proxy", "NO_PROXY"]),
    }
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))
}

/// Reads the name of an artifact.
pub(crate) fn reference(text: &str) -> Result<Reference, String> {
    text.parse().map_err(|error: kelson_artifact::Error| error.to_string())
}

/// Opens the place of an artifact. A layout that is read must be there; one that is written is made.
pub(crate) fn store(reference: &Reference, client: &Client) -> anyhow::Result<Store> {
    if let Place::Directory(path) | Place::Tar(path) = &reference.place
        && !path.exists()
    {
        bail!("there is no layout `{}`", path.display());
    }
    Ok(Store::open(&reference.place, client))
}
