//! A Kubernetes control plane of one's own: etcd, kube-apiserver and, where wanted, kube-controller-manager.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::certs::{Authority, Identity};
use crate::programs::Programs;
use crate::supervise::{Supervised, tail};
use crate::{Bare, Detour, Error};

/// How long a control plane may take until it is ready: far beyond the usual three seconds, since a loaded
/// machine must not fail a test.
const PATIENCE: Duration = Duration::from_secs(120);
/// How often another port is tried when somebody took the chosen one in between.
const PORT_TRIES: usize = 5;
/// Controllers that would act on nodes which no kubelet keeps alive.
const WORKERS: &str = "*,-node-lifecycle-controller,-node-ipam-controller,-node-route-controller,\
                       -pod-garbage-collector-controller,-service-lb-controller,-taint-eviction-controller,\
                       -cloud-node-lifecycle-controller";

/// What a control plane consists of.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Runs kube-controller-manager too, so that Deployments get Pods and deleted Namespaces vanish.
    pub workers: bool,
    /// Listens on this port, or on a free one.
    pub port: Option<u16>,
}

/// A running control plane. It is gone, process and data, when dropped, and also when its owner is killed.
#[derive(Debug)]
pub struct ControlPlane {
    directory: PathBuf,
    port: u16,
    authority: Authority,
    programs: Programs,
    kubeconfig: PathBuf,
    // In the order of starting; ended in the reverse order.
    processes: Mutex<Vec<Supervised>>,
}

impl ControlPlane {
    /// Starts etcd and an API server on a free port of the loopback interface.
    pub fn start() -> Result<Self, Error> {
        Self::start_with(Options::default())
    }

    /// Starts a control plane whose controllers run too.
    pub fn start_with_workers() -> Result<Self, Error> {
        Self::start_with(Options { workers: true, port: None })
    }

    /// Starts a control plane as `options` say.
    pub fn start_with(options: Options) -> Result<Self, Error> {
        let programs = Programs::get()?;
        for _ in 1..PORT_TRIES {
            match Self::try_start(&programs, options) {
                Err(Error::Died { log, .. })
                    if options.port.is_none() && log.contains("address already in use") => {}
                other => return other,
            }
        }
        Self::try_start(&programs, options)
    }

    fn try_start(programs: &Programs, options: Options) -> Result<Self, Error> {
        let directory = new_directory("plane")?;
        let plane = Self::launch(programs, options, &directory);
        if plane.is_err() {
            fs::remove_dir_all(&directory).ok();
        }
        plane
    }

    fn launch(programs: &Programs, options: Options, directory: &Path) -> Result<Self, Error> {
        let port = match options.port {
            Some(port) => port,
            None => free_port()?,
        };
        let authority = Authority::new()?;
        write(directory, "ca.crt", &authority.pem)?;
        write_identity(directory, "server", &authority.server()?)?;
        // Any certificate's key will do to sign the tokens of ServiceAccounts.
        write_identity(directory, "tokens", &authority.user("tokens", "tokens")?)?;
        // A token, unlike a certificate, can be shown to a proxy that passes it on.
        let admin = token(&authority.user("admin", "system:masters")?);
        write(directory, "admins.csv", &format!("{admin},admin,admin,system:masters\n"))?;
        let user = format!("    token: {admin}\n");
        let kubeconfig = write(directory, "kubeconfig", &config_for(port, &authority, &user))?;
        let mut plane = Self {
            directory: directory.to_owned(),
            port,
            authority,
            programs: programs.clone(),
            kubeconfig,
            processes: Mutex::default(),
        };
        plane.run("etcd", &etcd_arguments())?;
        plane.run("kube-apiserver", &api_server_arguments(port, options.workers))?;
        plane.wait_until_ready()?;
        if options.workers {
            plane.run("kube-controller-manager", &controller_arguments())?;
        }
        Ok(plane)
    }

    fn run(&mut self, name: &'static str, arguments: &[String]) -> Result<(), Error> {
        let program = self.programs.path(name);
        let process = Supervised::start(name, &self.directory, &program, arguments)?;
        lock(&self.processes).push(process);
        Ok(())
    }

    fn wait_until_ready(&self) -> Result<(), Error> {
        let started = Instant::now();
        let address = ([127, 0, 0, 1], self.port).into();
        let mut bare = Bare::to(address, &self.authority.pem, None, Duration::from_secs(5))?;
        let mut ask = || match bare.send("GET", "/readyz", "", "") {
            Ok(answer) if answer.status == 200 => Ok(()),
            Ok(answer) => Err(format!("{} {}", answer.status, answer.body.trim())),
            Err(error) => Err(error.to_string()),
        };
        loop {
            self.check()?;
            match ask() {
                Ok(()) => return Ok(()),
                Err(_) if started.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(50));
                }
                Err(reason) => {
                    let log = tail(&self.directory.join("kube-apiserver.log"), 20);
                    let seconds = PATIENCE.as_secs();
                    return Err(Error::NotReady {
                        process: "kube-apiserver",
                        seconds,
                        reason,
                        log,
                    });
                }
            }
        }
    }

    /// Fails if one of the processes is gone, with the last lines of its log.
    pub fn check(&self) -> Result<(), Error> {
        lock(&self.processes).iter_mut().try_for_each(Supervised::check)
    }

    /// The kubeconfig of a user who may do everything.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// The port of the API server.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The kubeconfig of another user, who may do what RBAC grants to the name and the group.
    pub fn user(&self, name: &str, group: &str) -> Result<PathBuf, Error> {
        let identity = self.authority.user(name, group)?;
        let file = format!("user-{}.kubeconfig", name.replace(['/', ':'], "-"));
        write(&self.directory, &file, &config(self.port, &self.authority, &identity))
    }

    /// A token of a ServiceAccount, which must exist.
    pub fn service_account_token(&self, namespace: &str, name: &str) -> Result<String, Error> {
        let token = self.kubectl(&["create", "token", name, "--namespace", namespace])?;
        Ok(token.trim().to_owned())
    }

    /// The kubeconfig of whoever holds a token.
    pub fn kubeconfig_for_token(&self, name: &str, token: &str) -> Result<PathBuf, Error> {
        let user = format!("    token: {token}\n");
        let text = config_for(self.port, &self.authority, &user);
        write(&self.directory, &format!("token-{name}.kubeconfig"), &text)
    }

    /// Another way to the API server, on which faults can be announced.
    pub fn behind_proxy(&self) -> Result<Detour, Error> {
        Detour::to(&self.kubeconfig)
    }

    /// Looks at the cluster as the user who may do everything, faster than kubectl.
    pub fn bare(&self) -> Result<Bare, Error> {
        Bare::new(&self.kubeconfig)
    }

    /// Runs kubectl as the user who may do everything and returns what it prints.
    pub fn kubectl(&self, arguments: &[&str]) -> Result<String, Error> {
        kubectl(&self.programs, &self.kubeconfig, arguments)
    }

    /// Kills a process of the control plane, so that a test can see what follows.
    pub fn kill(&self, name: &str) -> Result<(), Error> {
        let mut processes = lock(&self.processes);
        match processes.iter_mut().find(|process| process.name() == name) {
            Some(process) => process.kill(),
            None => Err(Error::Missing(format!("this control plane runs no {name}"))),
        }
    }

    /// Where its data and logs are while it runs.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The logs of its processes.
    pub fn logs(&self) -> Vec<PathBuf> {
        lock(&self.processes).iter().map(|process| process.log().to_owned()).collect()
    }
}

impl Drop for ControlPlane {
    fn drop(&mut self) {
        let mut processes = std::mem::take(&mut *lock(&self.processes));
        let Some((first, later)) = processes.split_first_mut() else { return };
        later.iter_mut().rev().for_each(Supervised::stop_keeping);
        first.stop();
        // A process that had died before removed nothing.
        fs::remove_dir_all(&self.directory).ok();
    }
}

/// Runs kubectl and returns what it prints.
pub(crate) fn kubectl(
    programs: &Programs,
    kubeconfig: &Path,
    arguments: &[&str],
) -> Result<String, Error> {
    let program = programs.path("kubectl");
    let output = Command::new(&program)
        .arg("--kubeconfig")
        .arg(kubeconfig)
        .args(arguments)
        .output()
        .map_err(Error::at(&program))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let output = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Error::Command { command: format!("kubectl {}", arguments.join(" ")), output })
}

fn lock(processes: &Mutex<Vec<Supervised>>) -> std::sync::MutexGuard<'_, Vec<Supervised>> {
    // A panic elsewhere must not keep the processes from being ended.
    processes.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A new folder of a process's own, named for what runs in it.
pub(crate) fn new_directory(what: &str) -> Result<PathBuf, Error> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("kelson-{what}-{}-{number}", std::process::id());
    let directory = std::env::temp_dir().join(name);
    if directory.exists() {
        // Of a process that once had our number.
        fs::remove_dir_all(&directory).map_err(Error::at(&directory))?;
    }
    fs::create_dir_all(&directory).map_err(Error::at(&directory))?;
    Ok(directory)
}

pub(crate) fn free_port() -> Result<u16, Error> {
    let address = Path::new("127.0.0.1:0");
    let listener = TcpListener::bind("127.0.0.1:0").map_err(Error::at(address))?;
    Ok(listener.local_addr().map_err(Error::at(address))?.port())
}

pub(crate) fn write(directory: &Path, name: &str, text: &str) -> Result<PathBuf, Error> {
    use std::os::unix::fs::OpenOptionsExt;
    let path = directory.join(name);
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options
        .open(&path)
        .and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()))
        .map_err(Error::at(&path))?;
    Ok(path)
}

pub(crate) fn write_identity(
    directory: &Path,
    name: &str,
    identity: &Identity,
) -> Result<(), Error> {
    write(directory, &format!("{name}.crt"), &identity.certificate)?;
    write(directory, &format!("{name}.key"), &identity.key)?;
    Ok(())
}

/// What nobody can guess who does not have the key.
fn token(identity: &Identity) -> String {
    Sha256::digest(&identity.key).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn config(port: u16, authority: &Authority, identity: &Identity) -> String {
    let certificate = STANDARD.encode(&identity.certificate);
    let key = STANDARD.encode(&identity.key);
    let user = format!("    client-certificate-data: {certificate}\n    client-key-data: {key}\n");
    config_for(port, authority, &user)
}

fn config_for(port: u16, authority: &Authority, user: &str) -> String {
    let authority = STANDARD.encode(&authority.pem);
    format!(
        "apiVersion: v1\n\
         kind: Config\n\
         current-context: local\n\
         clusters:\n\
         - name: local\n\
         \x20 cluster:\n\
         \x20   server: https://127.0.0.1:{port}\n\
         \x20   certificate-authority-data: {authority}\n\
         users:\n\
         - name: local\n\
         \x20 user:\n\
         {user}\
         contexts:\n\
         - name: local\n\
         \x20 context:\n\
         \x20   cluster: local\n\
         \x20   user: local\n"
    )
}

// etcd is spoken to through sockets in the control plane's own directory: no port to race for, and nobody
// else's API server can reach it by mistake. Paths are relative because a socket's may have 107 bytes at most;
// etcd insists on the form host:port.
const ETCD_CLIENTS: &str = "unix://etcd:1";
const ETCD_PEERS: &str = "unix://etcd:2";

fn etcd_arguments() -> Vec<String> {
    vec![
        "--name=kelson".to_owned(),
        "--data-dir=etcd-data".to_owned(),
        format!("--listen-client-urls={ETCD_CLIENTS}"),
        format!("--advertise-client-urls={ETCD_CLIENTS}"),
        format!("--listen-peer-urls={ETCD_PEERS}"),
        format!("--initial-advertise-peer-urls={ETCD_PEERS}"),
        format!("--initial-cluster=kelson={ETCD_PEERS}"),
        "--unsafe-no-fsync".to_owned(),
        "--log-level=warn".to_owned(),
    ]
}

fn api_server_arguments(port: u16, workers: bool) -> Vec<String> {
    let mut arguments = vec![
        format!("--etcd-servers={ETCD_CLIENTS}"),
        format!("--secure-port={port}"),
        "--bind-address=127.0.0.1".to_owned(),
        "--advertise-address=127.0.0.1".to_owned(),
        "--endpoint-reconciler-type=none".to_owned(),
        "--tls-cert-file=server.crt".to_owned(),
        "--tls-private-key-file=server.key".to_owned(),
        "--client-ca-file=ca.crt".to_owned(),
        "--token-auth-file=admins.csv".to_owned(),
        "--service-account-issuer=https://kubernetes.default.svc".to_owned(),
        "--service-account-key-file=tokens.crt".to_owned(),
        "--service-account-signing-key-file=tokens.key".to_owned(),
        "--authorization-mode=RBAC".to_owned(),
        "--service-cluster-ip-range=10.0.0.0/12".to_owned(),
        "--allow-privileged=true".to_owned(),
        "--profiling=false".to_owned(),
    ];
    if !workers {
        // Nobody makes the ServiceAccount `default` of a namespace, without which Pods are refused.
        arguments.push("--disable-admission-plugins=ServiceAccount".to_owned());
    }
    arguments
}

fn controller_arguments() -> Vec<String> {
    [
        "--kubeconfig=kubeconfig",
        "--secure-port=0",
        "--leader-elect=false",
        "--service-account-private-key-file=tokens.key",
        "--root-ca-file=ca.crt",
        "--kube-api-qps=500",
        "--kube-api-burst=1000",
        "--profiling=false",
    ]
    .into_iter()
    .map(str::to_owned)
    .chain([format!("--controllers={WORKERS}")])
    .collect()
}
