//! A registry of one's own: the one that the CNCF's distribution project makes.

mod tokens; // who gives its tokens

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::certs::{Authority, Identity};
use crate::control_plane::{free_port, new_directory, write, write_identity};
use crate::supervise::{Supervised, tail};
use crate::{Error, tools};

pub use tokens::{REFRESH_TOKEN, Tokens};

/// The user that a registry with authentication knows.
pub const USER: &str = "kelson";
/// That user's password.
pub const PASSWORD: &str = "correct-horse-battery";
/// The password as the registry's file has it, made with bcrypt.
const PASSWORD_FILE: &str = "kelson:$2a$05$sa4OZqSyv59eSsdZAWsKjevXXIHzhVtz3EQ19ZqyncgPC/W7U3A7K\n";

/// How long a registry may take until it is ready, far beyond the usual tenth of a second.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often another port is tried when somebody took the chosen one in between.
const PORT_TRIES: usize = 5;

/// Whom a registry lets in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Auth {
    /// Everybody.
    #[default]
    Nobody,
    /// [`USER`] with [`PASSWORD`].
    Basic,
    /// Whoever has a token; [`Registry::tokens`] gives them to [`USER`], and for reading `public/…` to everybody.
    Bearer,
}

/// How a registry is spoken to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tls {
    /// Over plain HTTP.
    #[default]
    Off,
    /// Over HTTPS.
    Server,
    /// Over HTTPS, by clients that have a certificate too.
    Mutual,
}

/// How a registry is set up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Whom it lets in.
    pub auth: Auth,
    /// How it is spoken to.
    pub tls: Tls,
}

/// A running registry. It is gone, process and data, when dropped, and also when its owner is killed.
pub struct Registry {
    directory: PathBuf,
    port: u16,
    authority: Authority,
    server: Identity,
    client: Identity,
    tokens: Option<Tokens>,
    process: Supervised,
}

impl Registry {
    /// Starts a registry on a free port of the loopback interface.
    pub fn start(options: Options) -> Result<Self, Error> {
        let program = tools::get("registry")?;
        for _ in 1..PORT_TRIES {
            match Self::try_start(&program, options) {
                Err(Error::Died { log, .. }) if log.contains("address already in use") => {}
                other => return other,
            }
        }
        Self::try_start(&program, options)
    }

    fn try_start(program: &Path, options: Options) -> Result<Self, Error> {
        let directory = new_directory("registry")?;
        let registry = Self::launch(program, options, &directory);
        if registry.is_err() {
            fs::remove_dir_all(&directory).ok();
        }
        registry
    }

    fn launch(program: &Path, options: Options, directory: &Path) -> Result<Self, Error> {
        let port = free_port()?;
        let authority = Authority::new()?;
        let server = authority.server()?;
        let client = authority.user(USER, "clients")?;
        write(directory, "ca.crt", &authority.pem)?;
        write_identity(directory, "server", &server)?;
        write(directory, "passwords", PASSWORD_FILE)?;
        let tokens = match options.auth {
            Auth::Bearer => Some(Tokens::start()?),
            _ => None,
        };
        if let Some(tokens) = &tokens {
            write(directory, "keys.json", &tokens.keys())?;
        }
        write(directory, "config.yml", &config(port, options, tokens.as_ref()))?;
        let arguments = ["serve".to_owned(), "config.yml".to_owned()];
        let process = Supervised::start("registry", directory, program, &arguments)?;
        let directory = directory.to_owned();
        let mut registry = Self { directory, port, authority, server, client, tokens, process };
        registry.wait_until_ready()?;
        Ok(registry)
    }

    /// Waits until it says that it listens: somebody else may listen on a port that it could not have.
    fn wait_until_ready(&mut self) -> Result<(), Error> {
        let started = Instant::now();
        let log = self.process.log().to_owned();
        let says = format!("listening on 127.0.0.1:{}", self.port);
        while !fs::read_to_string(&log).unwrap_or_default().contains(&says) {
            self.process.check()?;
            if started.elapsed() > PATIENCE {
                return Err(Error::NotReady {
                    process: "registry",
                    seconds: PATIENCE.as_secs(),
                    reason: "it does not listen".to_owned(),
                    log: tail(&log, 20),
                });
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.port))
    }

    /// The certificate of the authority that signed the registry's own.
    pub fn authority(&self) -> &str {
        &self.authority.pem
    }

    /// The registry's own certificate and key, for somebody who is to stand before it.
    pub fn server_certificate(&self) -> (&str, &str) {
        (&self.server.certificate, &self.server.key)
    }

    /// A certificate and key that the registry accepts of a client.
    pub fn client_certificate(&self) -> (&str, &str) {
        (&self.client.certificate, &self.client.key)
    }

    /// Who gives tokens for it, where it wants them.
    pub fn tokens(&self) -> Option<&Tokens> {
        self.tokens.as_ref()
    }

    /// What it has written so far.
    pub fn log(&self) -> String {
        fs::read_to_string(self.process.log()).unwrap_or_default()
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.process.stop();
        // A process that had died before removed nothing.
        fs::remove_dir_all(&self.directory).ok();
    }
}

fn config(port: u16, options: Options, tokens: Option<&Tokens>) -> String {
    let mut text = format!(
        "version: 0.1\n\
         log: {{level: info, accesslog: {{disabled: true}}}}\n\
         storage:\n\
         \x20 filesystem: {{rootdirectory: data}}\n\
         \x20 delete: {{enabled: true}}\n\
         \x20 maintenance: {{uploadpurging: {{enabled: false}}}}\n\
         http:\n\
         \x20 addr: 127.0.0.1:{port}\n\
         \x20 secret: not-a-secret\n"
    );
    if options.tls != Tls::Off {
        text += "  tls:\n    certificate: server.crt\n    key: server.key\n";
    }
    if options.tls == Tls::Mutual {
        text += "    clientcas: [ca.crt]\n";
    }
    match (options.auth, tokens) {
        (Auth::Basic, _) => text += "auth:\n  htpasswd: {realm: kelson, path: passwords}\n",
        (_, Some(tokens)) => {
            text += &format!(
                "auth:\n  token: {{realm: \"{}\", service: {}, issuer: {}, jwks: keys.json}}\n",
                tokens.realm(),
                tokens::SERVICE,
                tokens::ISSUER
            );
        }
        _ => {}
    }
    text
}
