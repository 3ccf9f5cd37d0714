//! Who we are to a registry: what the files and helpers of Docker and Podman say.

mod file; // `auths`, `credHelpers`, `credsStore`
mod helper; // `docker-credential-…`

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kelson_model::Secret;
use tokio::sync::OnceCell;

use crate::Error;
use file::File;
use helper::Helpers;

/// Where credentials are looked for. Nothing is read before a registry asks who we are. Cheap to clone.
#[derive(Clone, Default)]
pub struct Keychain {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    places: Vec<PathBuf>,
    helpers: Helpers,
    files: OnceCell<Vec<File>>,
}

/// What proves who we are, and where it was found.
#[derive(Clone, Debug)]
pub struct Credential {
    /// The proof.
    pub login: Login,
    /// The file, helper or option that it comes from, for people.
    pub origin: String,
}

/// A proof of who we are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Login {
    /// A user and a password.
    Password {
        /// The user.
        user: String,
        /// The password.
        password: Secret,
    },
    /// A token that is exchanged for those that registries take.
    Identity(Secret),
    /// A token that the registry itself takes.
    Registry(Secret),
}

impl Keychain {
    /// The files that Docker and Podman use, in the order in which they are asked: `$DOCKER_CONFIG/config.json` or the
    /// one in the home, `$REGISTRY_AUTH_FILE`, `$XDG_RUNTIME_DIR/containers/auth.json`, then the one below
    /// `$XDG_CONFIG_HOME` or `.config`. Helpers are looked for on `$PATH`.
    pub fn from_environment(
        variable: impl Fn(&str) -> Option<OsString>,
        home: Option<&Path>,
    ) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let below_home = |path: &str| home.map(|home| home.join(path));
        let places = [
            set("DOCKER_CONFIG").or_else(|| below_home(".docker")).map(|at| at.join("config.json")),
            set("REGISTRY_AUTH_FILE"),
            set("XDG_RUNTIME_DIR").map(|at| at.join("containers/auth.json")),
            set("XDG_CONFIG_HOME")
                .or_else(|| below_home(".config"))
                .map(|at| at.join("containers/auth.json")),
        ];
        let path = variable("PATH").unwrap_or_default();
        Self::new(places.into_iter().flatten().collect(), Helpers::on(&path))
    }

    /// One file, for instance the content of a Secret that was written down.
    pub fn from_file(path: &Path) -> Self {
        Self::new(vec![path.to_owned()], Helpers::default())
    }

    fn new(places: Vec<PathBuf>, helpers: Helpers) -> Self {
        Self { inner: Arc::new(Inner { places, helpers, files: OnceCell::new() }) }
    }

    /// The places that are looked into, for people.
    pub fn places(&self) -> &[PathBuf] {
        &self.inner.places
    }

    /// Finds the credential for a repository: the first file that knows the registry decides.
    pub async fn find(&self, host: &str, repository: &str) -> Result<Option<Credential>, Error> {
        let inner = &self.inner;
        let files = inner.files.get_or_try_init(|| File::read_all(&inner.places)).await?;
        let names = names(host, repository);
        for file in files {
            if let Some(helper) = file.helper(&names)
                && let Some(credential) =
                    inner.helpers.ask(helper, server(host), &file.path).await?
            {
                return Ok(Some(credential));
            }
            if let Some(login) = file.login(&names)? {
                let origin = format!("`{}`", file.path.display());
                return Ok(Some(Credential { login, origin }));
            }
        }
        Ok(None)
    }
}

/// Docker Hub has several names, and one that helpers and files know it by.
fn server(host: &str) -> &str {
    if is_docker_hub(host) { "https://index.docker.io/v1/" } else { host }
}

fn is_docker_hub(host: &str) -> bool {
    ["docker.io", "index.docker.io", "registry-1.docker.io"].contains(&host)
}

/// The names under which a repository's credential may be found: the repository, what is above it, the registry.
fn names(host: &str, repository: &str) -> Vec<String> {
    let hosts: &[&str] =
        if is_docker_hub(host) { &["index.docker.io", "docker.io"] } else { &[host] };
    let mut paths = vec![repository];
    while let Some((above, _)) = paths.last().and_then(|path| path.rsplit_once('/')) {
        paths.push(above);
    }
    let below = paths
        .iter()
        .filter(|path| !path.is_empty())
        .flat_map(|path| hosts.iter().map(move |host| format!("{host}/{path}")));
    below.chain(hosts.iter().map(|host| (*host).to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// A home with files, as `path` and content; those below `bin` can be run.
    fn home(files: &[(&str, &str)]) -> PathBuf {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("kelson-home-{}-{number}", std::process::id());
        let home = std::env::temp_dir().join(name);
        for (path, content) in files {
            let path = home.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, content).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        home
    }

    /// Looks for `host/repository` with variables whose values lie in the home.
    async fn find(
        files: &[(&str, &str)],
        variables: &[(&str, &str)],
        host: &str,
        repository: &str,
    ) -> String {
        let home = home(files);
        let path = format!("relative:{}", home.join("bin").display());
        let mut set: HashMap<&str, OsString> =
            variables.iter().map(|(name, value)| (*name, home.join(value).into())).collect();
        set.insert("PATH", path.into());
        let keychain = Keychain::from_environment(|name| set.get(name).cloned(), Some(&home));
        let found = match keychain.find(host, repository).await {
            Ok(None) => "nothing".to_owned(),
            Ok(Some(Credential { login: Login::Password { user, password }, .. })) => {
                format!("{user}:{}", password.expose())
            }
            Ok(Some(Credential { login: Login::Identity(token), .. })) => {
                format!("identity {}", token.expose())
            }
            Ok(Some(Credential { login: Login::Registry(token), .. })) => {
                format!("registry {}", token.expose())
            }
            Err(error) => error.to_string().replace(&home.display().to_string(), "~"),
        };
        fs::remove_dir_all(&home).ok();
        found
    }

    async fn check(config: &str, at: &str, expected: &str) {
        let (host, repository) = at.split_once('/').unwrap();
        let found = find(&[(".docker/config.json", config)], &[], host, repository).await;
        assert_eq!(found, expected, "{config}");
    }

    #[tokio::test]
    async fn the_closest_entry_decides() {
        // The passwords are `r`, `a` and `ab`.
        let config = r#"{"auths": {
            "r.example": {"auth": "dTpy"}, "r.example/a": {"auth": "dTph"}, "r.example/a/b": {"auth": "dTphYg=="}
        }}"#;
        check(config, "r.example/a/b", "u:ab").await;
        check(config, "r.example/a/b/c", "u:ab").await;
        check(config, "r.example/a/x", "u:a").await;
        check(config, "r.example/x", "u:r").await;
        check(config, "other.example/a", "nothing").await;
        check(config, "r.example:5000/a", "nothing").await;
    }

    #[tokio::test]
    async fn keys_are_read_as_people_write_them() {
        for key in [
            "r.example",
            "https://r.example",
            "http://r.example/",
            "https://r.example/v2/",
            "r.example/v1",
        ] {
            let config = format!(r#"{{"auths": {{"{key}": {{"auth": "dTpy"}}}}}}"#);
            check(&config, "r.example/a", "u:r").await;
        }
        let config =
            r#"{"auths": {"https://r.example/": {"auth": "dTph"}, "r.example": {"auth": "dTpy"}}}"#;
        check(config, "r.example/a", "u:r").await;
        let config = r#"{"auths": {"https://index.docker.io/v1/": {"auth": "dTpy"}}}"#;
        check(config, "index.docker.io/library/a", "u:r").await;
        check(r#"{"auths": {"docker.io": {"auth": "dTpy"}}}"#, "index.docker.io/a/b", "u:r").await;
    }

    #[tokio::test]
    async fn an_entry_has_one_of_several_forms() {
        let entry = |entry: &str| format!(r#"{{"auths": {{"r": {entry}}}}}"#);
        check(&entry(r#"{"auth": "dTpyOno"}"#), "r/a", "u:r:z").await;
        check(&entry(r#"{"username": "u", "password": "p"}"#), "r/a", "u:p").await;
        check(&entry(r#"{"auth": "dTpy", "identitytoken": "t"}"#), "r/a", "identity t").await;
        check(&entry(r#"{"registrytoken": "t"}"#), "r/a", "registry t").await;
        check(&entry("{}"), "r/a", "nothing").await;
        check(&entry("null"), "r/a", "nothing").await;
        check("", "r/a", "nothing").await;
        check(r#"{"auths": null}"#, "r/a", "nothing").await;
    }

    #[tokio::test]
    async fn a_broken_file_is_named_and_not_quoted() {
        let place = "cannot use the credentials of `~/.docker/config.json`: ";
        let check = async |config: &str, expected: &str| {
            check(config, "r/a", &format!("{place}{expected}")).await;
        };
        check(r#"{"auths": {"r": "hunter2"}}"#, "line 1, column 25 is wrong").await;
        check("hunter2", "line 1, column 1 is wrong").await;
        check(r#"{"auths": {"r": {"auth": "!"}}}"#, "`auth` of `r` is not base64").await;
        check(r#"{"auths": {"r": {"auth": "dQ=="}}}"#, "`auth` of `r` has no colon").await;
    }

    #[tokio::test]
    async fn files_are_asked_in_order() {
        let entry = |password: &str| {
            format!(r#"{{"auths": {{"r": {{"username": "u", "password": "{password}"}}}}}}"#)
        };
        let files = [
            ("docker/config.json", entry("docker")),
            ("file.json", entry("file")),
            ("run/containers/auth.json", entry("runtime")),
            (".config/containers/auth.json", entry("config")),
        ];
        let variables = [
            ("DOCKER_CONFIG", "docker"),
            ("REGISTRY_AUTH_FILE", "file.json"),
            ("XDG_RUNTIME_DIR", "run"),
        ];
        for (gone, expected) in
            ["u:docker", "u:file", "u:runtime", "u:config", "nothing"].iter().enumerate()
        {
            let left: Vec<_> =
                files[gone..].iter().map(|(path, text)| (*path, text.as_str())).collect();
            assert_eq!(find(&left, &variables, "r", "a").await, *expected);
        }
        // One that knows nothing of the registry does not decide.
        let files = [("docker/config.json", "{}"), ("file.json", &files[1].1)];
        assert_eq!(find(&files, &variables, "r", "a").await, "u:file");
    }

    const HELPER: &str = "#!/bin/sh\nread -r server\ncase $1-$server in\n\
        get-r) echo '{\"ServerURL\":\"r\",\"Username\":\"u\",\"Secret\":\"s\"}';;\n\
        get-https://index.docker.io/v1/) echo '{\"Username\":\"<token>\",\"Secret\":\"hub\"}';;\n\
        get-odd) echo hunter2;;\n\
        get-fails) echo 'the vault is locked'; exit 1;;\n\
        *) echo 'credentials not found in native keychain'; exit 1;;\nesac\n";

    async fn check_helper(config: &str, host: &str, expected: &str) {
        let files = [(".docker/config.json", config), ("bin/docker-credential-vault", HELPER)];
        assert_eq!(find(&files, &[], host, "a").await, expected, "{config}");
    }

    #[tokio::test]
    async fn helpers_are_asked_first() {
        let store =
            r#"{"credsStore": "vault", "auths": {"r": {"auth": "dTpy"}, "x": {"auth": "dTpy"}}}"#;
        check_helper(store, "r", "u:s").await;
        check_helper(store, "index.docker.io", "identity hub").await;
        // What the helper does not know, the file may.
        check_helper(store, "x", "u:r").await;
        check_helper(store, "y", "nothing").await;
        let place = "cannot use the credentials of `~/.docker/config.json`: ";
        check_helper(
            store,
            "odd",
            &format!("{place}`docker-credential-vault` did not answer as helpers do"),
        )
        .await;
        check_helper(
            store,
            "fails",
            &format!("{place}`docker-credential-vault` failed: the vault is locked"),
        )
        .await;
        check_helper(r#"{"credHelpers": {"r": "vault"}, "credsStore": "absent"}"#, "r", "u:s")
            .await;
    }

    #[tokio::test]
    async fn a_helper_is_a_bare_word_on_the_path() {
        let place = "cannot use the credentials of `~/.docker/config.json`: ";
        for name in ["../vault", "/bin/vault", "a b", "a;b", "-x/y"] {
            let config = format!(r#"{{"credsStore": "{name}"}}"#);
            check_helper(&config, "r", &format!("{place}the name of a helper must be a bare word"))
                .await;
        }
        let missing = "it names the helper `docker-credential-absent`, which is not on the path: install it, or log in again";
        check_helper(r#"{"credsStore": "absent"}"#, "r", &format!("{place}{missing}")).await;
    }
}
