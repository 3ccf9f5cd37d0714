//! Which cluster is meant, and as whom we come: kubeconfigs merged as kubectl merges them, with what a person says laid
//! over them, or the service account of the pod that we run in.

use std::path::{Path, PathBuf};

use kube::config::{
    AuthInfo, Cluster, Context, Kubeconfig, KubeconfigError, NamedAuthInfo, NamedCluster,
    NamedContext,
};

use super::surroundings::Surroundings;
use super::{Connection, address};

/// What was decided on.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) cluster: Cluster,
    pub(super) user: AuthInfo,
    pub(super) namespace: Option<String>,
    /// The name of the context, where it comes from one.
    pub(super) context: Option<String>,
    /// The folder of the service account, where it is used.
    pub(super) account: Option<PathBuf>,
}

/// Why nothing could be decided on. No value of a file is quoted: it may be a credential.
#[derive(Debug, thiserror::Error)]
pub(super) enum Problem {
    #[error(
        "there is no kubeconfig (looked for {looked_for}); name one with --kubeconfig or KUBECONFIG, or a server with --server"
    )]
    Nothing { looked_for: String },
    #[error("cannot read the kubeconfig `{}`", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("the kubeconfig `{}` is not written as one{place}", path.display())]
    Parse { path: PathBuf, place: String },
    #[error("`{}` is no kubeconfig: it has no clusters, users or contexts", .0.display())]
    Empty(PathBuf),
    #[error("{files}: no current context is set; name one with --context ({known})")]
    NoContext { files: String, known: String },
    #[error("{files}: there is no {what} `{name}` ({known})")]
    Unknown { files: String, what: &'static str, name: String, known: String },
    #[error("{files}: the cluster `{name}` has no server")]
    NoServer { files: String, name: String },
    #[error("`{0}` is no address of an API server, such as https://cluster.example:6443")]
    BadServer(String),
    #[error("`{}` is not written in UTF-8, as the name of a file must be here", .0.display())]
    BadPath(PathBuf),
    #[error("{0}")]
    Kube(String),
    #[error("{server}: {why}")]
    Unusable { server: String, why: String },
}

/// Decides which cluster is meant.
pub(super) fn choose(
    connection: &Connection,
    surroundings: &Surroundings,
) -> Result<Chosen, Problem> {
    let files = files(connection, surroundings)?;
    let config = match &connection.kubeconfig_text {
        Some(text) => given(text.expose())?,
        None => merge(&files)?,
    };
    let is_empty =
        config.contexts.is_empty() && config.clusters.is_empty() && config.auth_infos.is_empty();
    let mut chosen = match (is_empty, &connection.kubeconfig) {
        (true, Some(named)) if connection.server.is_none() => {
            return Err(Problem::Empty(named.clone()));
        }
        (true, _) if connection.kubeconfig_text.is_some() => {
            return Err(Problem::Kube(format!("{GIVEN} has no clusters, users or contexts")));
        }
        (true, _) => without_files(connection, surroundings)?,
        (false, _) if connection.kubeconfig_text.is_some() => {
            from_files(connection, &config, GIVEN)?
        }
        (false, _) => from_files(connection, &config, &shown(&files))?,
    };
    lay_over_cluster(connection, &mut chosen.cluster)?;
    lay_over_user(connection, &mut chosen.user)?;
    Ok(chosen)
}

impl Chosen {
    /// The same as a kubeconfig with nothing else in it.
    pub(super) fn into_kubeconfig(self) -> Kubeconfig {
        let name = "chosen".to_owned();
        let context = Context {
            cluster: name.clone(),
            user: Some(name.clone()),
            namespace: self.namespace,
            ..Context::default()
        };
        Kubeconfig {
            clusters: vec![NamedCluster {
                name: name.clone(),
                cluster: Some(self.cluster),
                ..NamedCluster::default()
            }],
            auth_infos: vec![NamedAuthInfo {
                name: name.clone(),
                auth_info: Some(self.user),
                ..NamedAuthInfo::default()
            }],
            contexts: vec![NamedContext {
                name: name.clone(),
                context: Some(context),
                ..NamedContext::default()
            }],
            current_context: Some(name),
            ..Kubeconfig::default()
        }
    }
}

impl From<KubeconfigError> for Problem {
    fn from(error: KubeconfigError) -> Self {
        match error {
            KubeconfigError::ReadConfig(source, path) => Self::Read { path, source },
            // The text about it may quote the file.
            KubeconfigError::Parse(_) => {
                Self::Kube("the kubeconfig is not written as one".to_owned())
            }
            other => Self::Kube(other.to_string()),
        }
    }
}

/// What a kubeconfig that is in no file is called.
const GIVEN: &str = "the kubeconfig that was given";

/// Reads a kubeconfig that is in no file. What is wrong with it is not quoted.
fn given(text: &str) -> Result<Kubeconfig, Problem> {
    Kubeconfig::from_yaml(text).map_err(|_| Problem::Kube(format!("{GIVEN} is not written as one")))
}

/// The files that exist. One that was named must, one of a list need not.
fn files(connection: &Connection, surroundings: &Surroundings) -> Result<Vec<PathBuf>, Problem> {
    if connection.kubeconfig_text.is_some() {
        return Ok(Vec::new());
    }
    if let Some(path) = &connection.kubeconfig {
        return match path.metadata() {
            Ok(_) => Ok(vec![path.clone()]),
            Err(source) => Err(Problem::Read { path: path.clone(), source }),
        };
    }
    let mut files = surroundings.kubeconfigs();
    files.retain(|file| file.exists());
    Ok(files)
}

fn merge(files: &[PathBuf]) -> Result<Kubeconfig, Problem> {
    files.iter().try_fold(Kubeconfig::default(), |merged, file| {
        let mut next = read(file)?;
        next.current_context = next.current_context.filter(|name| !name.is_empty());
        Ok(merged.merge(next)?)
    })
}

fn read(path: &Path) -> Result<Kubeconfig, Problem> {
    Kubeconfig::read_from(path).map_err(|error| match error {
        KubeconfigError::Parse(error) => {
            let place = error.without_snippet().location();
            let place = place.map(|at| format!(" (line {}, column {})", at.line(), at.column()));
            Problem::Parse { path: path.to_owned(), place: place.unwrap_or_default() }
        }
        other => other.into(),
    })
}

fn from_files(
    connection: &Connection,
    config: &Kubeconfig,
    files: &str,
) -> Result<Chosen, Problem> {
    let context = context(connection, config, files)?;
    let name = connection.cluster.as_ref().unwrap_or(&context.cluster);
    let clusters = || config.clusters.iter();
    let found =
        clusters().find(|known| known.name == *name).and_then(|known| known.cluster.clone());
    let cluster = match found {
        Some(cluster) => cluster,
        None if name.is_empty() && connection.server.is_some() => Cluster::default(),
        None => {
            return Err(unknown("cluster", name, files, clusters().map(|known| &known.name)));
        }
    };
    if cluster.server.is_none() && connection.server.is_none() {
        return Err(Problem::NoServer { files: files.to_owned(), name: name.clone() });
    }
    let user = user(connection, &context, config, files)?;
    let namespace = context.namespace.filter(|namespace| !namespace.is_empty());
    let context = connection.context.as_ref().or(config.current_context.as_ref()).cloned();
    Ok(Chosen { cluster, user, namespace, context, account: None })
}

fn context(connection: &Connection, config: &Kubeconfig, files: &str) -> Result<Context, Problem> {
    let names = || config.contexts.iter().map(|known| &known.name);
    let Some(name) = connection.context.as_ref().or(config.current_context.as_ref()) else {
        // Whoever names all that a context would say needs none.
        return match connection.cluster.is_some() || connection.server.is_some() {
            true => Ok(Context::default()),
            false => Err(Problem::NoContext { files: files.to_owned(), known: listed(names()) }),
        };
    };
    let found = config.contexts.iter().find(|known| known.name == *name);
    found
        .and_then(|known| known.context.clone())
        .ok_or_else(|| unknown("context", name, files, names()))
}

/// As with kubectl, a context may name a user that does not exist, but a person may not.
fn user(
    connection: &Connection,
    context: &Context,
    config: &Kubeconfig,
    files: &str,
) -> Result<AuthInfo, Problem> {
    let Some(name) = connection.user.as_ref().or(context.user.as_ref()) else {
        return Ok(AuthInfo::default());
    };
    let found = config.auth_infos.iter().find(|known| known.name == *name);
    match found.and_then(|known| known.auth_info.clone()) {
        Some(user) => Ok(user),
        None if connection.user.is_none() => Ok(AuthInfo::default()),
        None => {
            let names = config.auth_infos.iter().map(|known| &known.name);
            Err(unknown("user", name, files, names))
        }
    }
}

/// In a pod, its service account; elsewhere only what a person says.
fn without_files(connection: &Connection, surroundings: &Surroundings) -> Result<Chosen, Problem> {
    let account = &surroundings.account;
    let token = account.join("token");
    if let Some(service) = surroundings.service.clone().filter(|_| token.is_file()) {
        let cluster = Cluster {
            server: Some(service),
            certificate_authority: Some(text(&account.join("ca.crt"))?),
            ..Cluster::default()
        };
        let user = AuthInfo { token_file: Some(text(&token)?), ..AuthInfo::default() };
        let namespace = std::fs::read_to_string(account.join("namespace")).ok();
        let namespace = namespace.map(|text| text.trim().to_owned());
        let namespace = namespace.filter(|namespace| !namespace.is_empty());
        let account = Some(account.clone());
        return Ok(Chosen { cluster, user, namespace, context: None, account });
    }
    match connection.server {
        Some(_) => Ok(Chosen {
            cluster: Cluster::default(),
            user: AuthInfo::default(),
            namespace: None,
            context: None,
            account: None,
        }),
        None => {
            let looked_for = match surroundings.kubeconfigs() {
                none if none.is_empty() => "KUBECONFIG".to_owned(),
                files => shown(&files),
            };
            Err(Problem::Nothing { looked_for })
        }
    }
}

fn lay_over_cluster(connection: &Connection, cluster: &mut Cluster) -> Result<(), Problem> {
    if let Some(server) = &connection.server {
        cluster.server = Some(server.clone());
        // The name was that of the other server.
        cluster.tls_server_name = None;
    }
    if let Some(server) = &mut cluster.server {
        let address = address(server).ok_or_else(|| Problem::BadServer(server.clone()))?;
        *server = address.to_string();
    }
    if let Some(path) = &connection.certificate_authority {
        cluster.certificate_authority = Some(text(path)?);
        cluster.certificate_authority_data = None;
        cluster.insecure_skip_tls_verify = None;
    }
    if connection.insecure {
        cluster.insecure_skip_tls_verify = Some(true);
        cluster.certificate_authority = None;
        cluster.certificate_authority_data = None;
    }
    if connection.tls_server_name.is_some() {
        cluster.tls_server_name.clone_from(&connection.tls_server_name);
    }
    // An empty field says as little as an absent one.
    let fields = [
        &mut cluster.certificate_authority,
        &mut cluster.certificate_authority_data,
        &mut cluster.tls_server_name,
        &mut cluster.proxy_url,
    ];
    for field in fields {
        field.take_if(|text| text.is_empty());
    }
    Ok(())
}

fn lay_over_user(connection: &Connection, user: &mut AuthInfo) -> Result<(), Problem> {
    if let Some(program) = &mut user.exec {
        let variable = |(name, value): (&String, &kelson_model::Secret)| {
            let pair = [("name", name.as_str()), ("value", value.expose())];
            pair.map(|(key, text)| (key.to_owned(), text.to_owned())).into()
        };
        program.env.get_or_insert_default().extend(connection.variables.iter().map(variable));
    }
    if let Some(token) = &connection.token {
        user.token = Some(token.expose().into());
        user.token_file = None;
        user.username = None;
        user.password = None;
        user.exec = None;
        user.auth_provider = None;
    }
    if let Some(path) = &connection.client_certificate {
        user.client_certificate = Some(text(path)?);
        user.client_certificate_data = None;
    }
    if let Some(path) = &connection.client_key {
        user.client_key = Some(text(path)?);
        user.client_key_data = None;
    }
    if connection.impersonate.is_some() {
        user.impersonate.clone_from(&connection.impersonate);
    }
    if connection.impersonate_uid.is_some() {
        user.impersonate_uid.clone_from(&connection.impersonate_uid);
    }
    if !connection.impersonate_groups.is_empty() {
        user.impersonate_groups = Some(connection.impersonate_groups.clone());
    }
    Ok(())
}

fn text(path: &Path) -> Result<String, Problem> {
    path.to_str().map(str::to_owned).ok_or_else(|| Problem::BadPath(path.to_owned()))
}

fn shown(files: &[PathBuf]) -> String {
    files.iter().map(|file| format!("`{}`", file.display())).collect::<Vec<_>>().join(", ")
}

fn unknown<'a>(
    what: &'static str,
    name: &str,
    files: &str,
    known: impl Iterator<Item = &'a String>,
) -> Problem {
    let (files, name) = (files.to_owned(), name.to_owned());
    Problem::Unknown { files, what, name, known: listed(known) }
}

/// Names for people: not more than they want to read.
fn listed<'a>(names: impl Iterator<Item = &'a String>) -> String {
    const MOST: usize = 20;
    let mut names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(MOST);
    names.truncate(MOST);
    match (names.is_empty(), more) {
        (true, _) => "there is none".to_owned(),
        (false, 0) => format!("there are: {}", names.join(", ")),
        (false, more) => format!("there are: {} and {more} more", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    const FIRST: &str = "
current-context: dev
clusters:
- {name: one, cluster: {server: 'https://one.example:6443', certificate-authority: ca.crt, tls-server-name: kubernetes}}
- {name: bare, cluster: {}}
users:
- {name: eve, user: {token: hunter2}}
contexts:
- {name: dev, context: {cluster: one, user: eve, namespace: shop}}
- {name: nobody, context: {cluster: one, user: gone}}
- {name: lost, context: {cluster: nowhere}}
- {name: bare, context: {cluster: bare}}
";
    const SECOND: &str = "
current-context: ops
clusters: [{name: two, cluster: {server: two.example}}, {name: one, cluster: {server: 'https://not.this'}}]
users: [{name: bob, user: {exec: {command: give, apiVersion: client.authentication.k8s.io/v1}}}]
contexts: [{name: ops, context: {cluster: two, user: bob}}]
";

    /// A folder of a test's own with files in it; `choose` is asked with the given list of them as `KUBECONFIG`.
    struct Case {
        folder: PathBuf,
    }

    impl Case {
        fn new(files: &[(&str, &str)]) -> Self {
            static COUNT: AtomicU32 = AtomicU32::new(0);
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!("kelson-kubeconfig-{}-{number}", std::process::id());
            let folder = std::env::temp_dir().join(name);
            std::fs::create_dir_all(folder.join("home/.kube")).unwrap();
            for (name, text) in files {
                std::fs::write(folder.join(name), text).unwrap();
            }
            Self { folder }
        }

        fn surroundings(&self, list: &[&str]) -> Surroundings {
            let paths = list.iter().map(|name| self.folder.join(name));
            let list = std::env::join_paths(paths).unwrap();
            Surroundings {
                kubeconfig: Some(list).filter(|list: &OsString| !list.is_empty()),
                home: Some(self.folder.join("home")),
                account: self.folder.clone(),
                ..Surroundings::default()
            }
        }

        #[track_caller]
        fn check(&self, connection: &Connection, surroundings: &Surroundings, expected: &str) {
            let actual = match choose(connection, surroundings) {
                Ok(chosen) => shown(&chosen),
                Err(problem) => problem.to_string(),
            };
            let actual = actual.replace(&self.folder.display().to_string(), "");
            assert_eq!(actual, expected);
            assert!(!actual.contains("hunter2"), "{actual}");
        }
    }

    impl Drop for Case {
        fn drop(&mut self) {
            std::fs::remove_dir_all(&self.folder).ok();
        }
    }

    /// Server, what of TLS, who, namespace.
    fn shown(chosen: &Chosen) -> String {
        let (cluster, user) = (&chosen.cluster, &chosen.user);
        let who = [
            user.token.as_ref().map(|_| "token".to_owned()),
            user.token_file.clone(),
            user.exec.as_ref().and_then(|exec| exec.command.clone()),
            user.client_certificate.clone(),
            user.impersonate.clone(),
            user.impersonate_groups.as_ref().map(|groups| groups.join("+")),
        ];
        let tls = [
            cluster.certificate_authority.clone(),
            cluster.tls_server_name.clone(),
            cluster.insecure_skip_tls_verify.map(|skipped| format!("insecure={skipped}")),
        ];
        let joined = |parts: &[Option<String>]| {
            parts.iter().flatten().cloned().collect::<Vec<_>>().join(",")
        };
        let server = cluster.server.as_deref().unwrap_or_default();
        let namespace = chosen.namespace.as_deref().unwrap_or_default();
        let context = chosen.context.as_deref().unwrap_or_default();
        format!("{server} [{}] [{}] {context}:{namespace}", joined(&tls), joined(&who))
    }

    #[test]
    fn files_are_merged_and_the_first_to_say_something_wins() {
        let case = Case::new(&[("a", FIRST), ("b", SECOND), ("home/.kube/config", SECOND)]);
        let none = Connection::default();
        let dev = "https://one.example:6443/ [/ca.crt,kubernetes] [token] dev:shop";
        let ops = "https://two.example/ [] [give] ops:";
        case.check(&none, &case.surroundings(&["a"]), dev);
        case.check(&none, &case.surroundings(&["missing", "a", "b"]), dev);
        case.check(&none, &case.surroundings(&["b", "a"]), ops);
        case.check(&none, &case.surroundings(&[]), ops);
        let named = Connection { kubeconfig: Some(case.folder.join("a")), ..none.clone() };
        case.check(&named, &case.surroundings(&["b"]), dev);
        let context = Connection { context: Some("ops".to_owned()), ..none.clone() };
        case.check(&context, &case.surroundings(&["a", "b"]), ops);
        let user = Connection { user: Some("bob".to_owned()), ..none };
        let expected = "https://one.example:6443/ [/ca.crt,kubernetes] [give] dev:shop";
        case.check(&user, &case.surroundings(&["a", "b"]), expected);
    }

    #[test]
    fn what_a_person_says_is_laid_over_the_files() {
        let case = Case::new(&[("a", FIRST), ("b", SECOND)]);
        let text = |text: &str| Some(text.to_owned());
        let server = Connection { server: text("three.example:1"), ..Connection::default() };
        let surroundings = case.surroundings(&["a", "b"]);
        // The name in the certificate was that of the other server.
        case.check(&server, &surroundings, "https://three.example:1/ [/ca.crt] [token] dev:shop");
        case.check(&server, &case.surroundings(&["none"]), "https://three.example:1/ [] [] :");
        let all = Connection {
            cluster: text("two"),
            user: text("bob"),
            token: Some("mine".to_owned().into()),
            impersonate: text("jane"),
            impersonate_groups: vec!["x".to_owned(), "y".to_owned()],
            insecure: true,
            client_certificate: Some("c.crt".into()),
            client_key: Some("c.key".into()),
            tls_server_name: text("name"),
            ..Connection::default()
        };
        let expected = "https://two.example/ [name,insecure=true] [token,c.crt,jane,x+y] dev:shop";
        case.check(&all, &surroundings, expected);
    }

    #[test]
    fn a_pod_has_its_service_account() {
        let account = [("token", "t"), ("ca.crt", "c"), ("namespace", "shop\n"), ("a", FIRST)];
        let case = Case::new(&account);
        let service = Some("https://10.0.0.1:443".to_owned());
        let pod = Surroundings { service: service.clone(), ..case.surroundings(&[]) };
        let expected = "https://10.0.0.1:443/ [/ca.crt] [/token] :shop";
        case.check(&Connection::default(), &pod, expected);
        // A kubeconfig says more.
        let pod = Surroundings { service, ..case.surroundings(&["a"]) };
        let dev = "https://one.example:6443/ [/ca.crt,kubernetes] [token] dev:shop";
        case.check(&Connection::default(), &pod, dev);
    }

    #[test]
    fn what_is_missing_is_named_with_what_there_is() {
        let case = Case::new(&[
            ("a", FIRST),
            ("bad", "users: [{name: eve, user: {token: {hunter2: 1}}}]"),
            ("worse", "a: [hunter2\nb: }"),
            ("other", "apiVersion: v1\nkind: ConfigMap\n"),
            ("unset", "clusters: [{name: a, cluster: {server: a}}]"),
        ]);
        let text = |text: &str| Some(text.to_owned());
        let none = Connection::default();
        let surroundings = case.surroundings(&["a"]);
        let context = |name: &str| Connection { context: text(name), ..none.clone() };
        case.check(
            &context("prod"),
            &surroundings,
            "`/a`: there is no context `prod` (there are: `dev`, `nobody`, `lost`, `bare`)",
        );
        let lost = "`/a`: there is no cluster `nowhere` (there are: `one`, `bare`)";
        case.check(&context("lost"), &surroundings, lost);
        case.check(&context("bare"), &surroundings, "`/a`: the cluster `bare` has no server");
        let nobody = "https://one.example:6443/ [/ca.crt,kubernetes] [] nobody:";
        case.check(&context("nobody"), &surroundings, nobody);
        let user = Connection { user: text("bob"), ..none.clone() };
        case.check(&user, &surroundings, "`/a`: there is no user `bob` (there are: `eve`)");
        let named = Connection { kubeconfig: Some(case.folder.join("x")), ..none.clone() };
        case.check(&named, &surroundings, "cannot read the kubeconfig `/x`");
        let other = Connection { kubeconfig: Some(case.folder.join("other")), ..none.clone() };
        let empty = "`/other` is no kubeconfig: it has no clusters, users or contexts";
        case.check(&other, &surroundings, empty);
        let server = Connection { server: text("ftp://a"), ..none.clone() };
        let bad = "`ftp://a` is no address of an API server, such as https://cluster.example:6443";
        case.check(&server, &surroundings, bad);
        case.check(
            &none,
            &case.surroundings(&["unset"]),
            "`/unset`: no current context is set; name one with --context (there is none)",
        );
        let nothing = "there is no kubeconfig (looked for `/x`); name one with --kubeconfig or KUBECONFIG, or a server with --server";
        case.check(&none, &case.surroundings(&["x"]), nothing);
        for file in ["bad", "worse"] {
            let problem = choose(&none, &case.surroundings(&[file])).unwrap_err().to_string();
            assert!(problem.contains("is not written as one (line "), "{problem}");
            assert!(!problem.contains("hunter2"), "{problem}");
        }
    }

    #[test]
    fn a_kubeconfig_can_be_given_without_a_file() {
        let case = Case::new(&[("a", FIRST)]);
        let surroundings = case.surroundings(&["a"]);
        let given = |text: &str| Connection {
            kubeconfig_text: Some(kelson_model::Secret::new(text)),
            variables: [("REGION".to_owned(), kelson_model::Secret::new("north"))].into(),
            ..Connection::default()
        };
        let chosen = choose(&given(SECOND), &surroundings).unwrap();
        assert_eq!(chosen.cluster.server.as_deref(), Some("https://two.example/"));
        let variables = chosen.user.exec.unwrap().env.unwrap();
        assert_eq!(variables[0]["name"], "REGION");
        assert_eq!(variables[0]["value"], "north");
        let wrong = choose(&given("token: hunter2: ["), &surroundings).unwrap_err().to_string();
        assert_eq!(wrong, "the kubeconfig that was given is not written as one");
        let empty = choose(&given("{}"), &surroundings).unwrap_err().to_string();
        assert_eq!(empty, "the kubeconfig that was given has no clusters, users or contexts");
    }
}
