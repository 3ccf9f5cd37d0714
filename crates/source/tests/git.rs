//! Repositories, fetched from a real git server over HTTP.

use std::time::Duration;

use kelson_model::{Secret, Tree};
use kelson_source::git::{Error, Fetched, Limits, Options, Ref, describe, fetch};
use kelson_testkit::{COMMITTED_AT, GitServer, cannot_run};

fn server(test: &str) -> Option<GitServer> {
    GitServer::start().map_err(|error| cannot_run(test, &error.to_string())).ok()
}

async fn get(url: &str, reference: Ref) -> Result<Fetched, Error> {
    fetch(url, &reference, &Options::default()).await
}

fn text(fetched: &Fetched, path: &str) -> String {
    match fetched.tree.read(path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn a_commit_is_found_by_branch_tag_hash_or_none_of_them() {
    let Some(server) = server("a_commit_is_found_by_branch_tag_hash_or_none_of_them") else {
        return;
    };
    let repository = server.repository("shop", &[("a/b.yaml", "v: 1\n")]).unwrap();
    let first = repository.run(&["rev-parse", "HEAD"]).unwrap();
    repository.run(&["tag", "light"]).unwrap();
    repository.run(&["tag", "--annotate", "v1", "--message=one"]).unwrap();
    repository.run(&["push", "--quiet", "--tags", "origin"]).unwrap();
    let second = repository.commit(&[("a/b.yaml", "v: 2\n")]).unwrap();
    repository.run(&["checkout", "--quiet", "-b", "feature/x"]).unwrap();
    let third = repository.commit(&[("a/b.yaml", "v: 3\n")]).unwrap();
    for (reference, commit, name, content) in [
        (Ref::Default, &second, "main", "v: 2\n"),
        (Ref::Branch("main".into()), &second, "main", "v: 2\n"),
        (Ref::Branch("feature/x".into()), &third, "feature/x", "v: 3\n"),
        (Ref::Tag("v1".into()), &first, "v1", "v: 1\n"),
        (Ref::Tag("light".into()), &first, "light", "v: 1\n"),
        (Ref::Commit(first.clone()), &first, "", "v: 1\n"),
        (Ref::Any("main".into()), &second, "main", "v: 2\n"),
        (Ref::Any("v1".into()), &first, "v1", "v: 1\n"),
        (Ref::Any("refs/tags/v1".into()), &first, "v1", "v: 1\n"),
        (Ref::Any("refs/heads/feature/x".into()), &third, "feature/x", "v: 3\n"),
        (Ref::Any(third.clone()), &third, "", "v: 3\n"),
    ] {
        let fetched = get(&repository.url, reference.clone()).await.unwrap();
        assert_eq!(&fetched.commit, commit, "{reference:?}");
        assert_eq!(fetched.reference, name, "{reference:?}");
        assert_eq!(text(&fetched, "/a/b.yaml"), content, "{reference:?}");
        assert_eq!(fetched.committed_at, COMMITTED_AT);
        let at = if name.is_empty() { String::new() } else { format!("{name}@") };
        assert_eq!(fetched.revision(), format!("{at}sha1:{commit}"));
    }
}

#[tokio::test]
async fn what_is_not_there_is_named() {
    let Some(server) = server("what_is_not_there_is_named") else { return };
    let repository = server.repository("shop", &[("a.yaml", "v: 1\n")]).unwrap();
    let url = &repository.url;
    let nothing = "1111111111111111111111111111111111111111";
    for (reference, expected) in [
        (Ref::Branch("nope".into()), format!("`nope` is not in the repository `{url}`")),
        (Ref::Tag("v9".into()), format!("`v9` is not in the repository `{url}`")),
        (Ref::Any("nope".into()), format!("`nope` is not in the repository `{url}`")),
        (Ref::Commit(nothing.into()), format!("`{nothing}` is not in the repository `{url}`")),
        (
            Ref::Commit("abc".into()),
            "`abc` is not a commit: 40 hexadecimal digits are expected".into(),
        ),
    ] {
        let error = get(url, reference).await.unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    let missing = url.replace("shop.git", "nope.git");
    let error = get(&missing, Ref::Default).await.unwrap_err().to_string();
    assert!(error.contains("nope.git") && error.contains("404"), "{error}");
}

#[tokio::test]
async fn a_private_repository_wants_its_password_and_nobody_tells_it() {
    let test = "a_private_repository_wants_its_password_and_nobody_tells_it";
    let server = match GitServer::start_private("ann", "hunter2") {
        Ok(server) => server,
        Err(error) => return cannot_run(test, &error.to_string()),
    };
    let repository = server.repository("shop", &[("a.yaml", "v: 1\n")]).unwrap();
    let url = &repository.url;
    let with = |user: &str, password: &str| Options {
        credentials: Some((user.to_owned(), Secret::new(password))),
        ..Options::default()
    };
    let fetched = fetch(url, &Ref::Default, &with("ann", "hunter2")).await.unwrap();
    assert_eq!(text(&fetched, "/a.yaml"), "v: 1\n");
    let inside = url.replace("http://", "http://ann:hunter2@");
    assert!(get(&inside, Ref::Default).await.is_ok());

    let error = get(url, Ref::Default).await.unwrap_err().to_string();
    assert_eq!(error, format!("the repository `{url}` asks for credentials, and none were given"));
    let error = fetch(url, &Ref::Default, &with("ann", "hunter3")).await.unwrap_err().to_string();
    let expected = "those given were not accepted";
    assert_eq!(error, format!("the repository `{url}` asks for credentials, and {expected}"));
    let wrong = url.replace("http://", "http://ann:hunter4@").replace("shop", "nope");
    let error = format!("{:?}", get(&wrong, Ref::Default).await.unwrap_err());
    assert!(!error.contains("hunter4"), "{error}");
}

#[tokio::test]
async fn links_stay_inside_and_submodules_are_not_empty_directories() {
    let test = "links_stay_inside_and_submodules_are_not_empty_directories";
    let Some(server) = server(test) else { return };
    let inner = server.repository("inner", &[("c.yaml", "inner: 1\n")]).unwrap();
    let repository = server.repository("outer", &[("base/a.yaml", "v: 1\n")]).unwrap();
    let work = repository.work_tree();
    std::os::unix::fs::symlink("base", work.join("link")).unwrap();
    std::os::unix::fs::symlink("../../../etc/passwd", work.join("out")).unwrap();
    let source = inner.path().display().to_string();
    let allow = "protocol.file.allow=always";
    repository.run(&["-c", allow, "submodule", "--quiet", "add", &source, "module"]).unwrap();
    let modules = work.join(".gitmodules");
    let named = std::fs::read_to_string(&modules).unwrap().replace(&source, "../inner.git");
    std::fs::write(&modules, named).unwrap();
    repository.commit_all().unwrap();

    let fetched = get(&repository.url, Ref::Default).await.unwrap();
    assert_eq!(text(&fetched, "/link/a.yaml"), "v: 1\n");
    assert_eq!(text(&fetched, "/out"), "leads out of the tree");
    let absent = "is a submodule, and submodules are not fetched";
    assert_eq!(text(&fetched, "/module/c.yaml"), absent);
    let options = Options { submodules: true, ..Options::default() };
    let fetched = fetch(&repository.url, &Ref::Default, &options).await.unwrap();
    assert_eq!(text(&fetched, "/module/c.yaml"), "inner: 1\n");
}

#[tokio::test]
async fn limits_hold_and_nothing_is_left_behind() {
    let Some(server) = server("limits_hold_and_nothing_is_left_behind") else { return };
    let many: Vec<(String, String)> =
        (0..20).map(|number| (format!("{number}.yaml"), "v: 1\n".repeat(100))).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(path, text)| (&**path, &**text)).collect();
    let repository = server.repository("many", &many).unwrap();
    let workspace = repository.work_tree().join("workspace");
    std::fs::create_dir(&workspace).unwrap();
    for (limits, expected) in [
        (Limits { files: 10, ..Limits::default() }, "10 files"),
        (Limits { bytes: 5000, ..Limits::default() }, "5000 bytes in its files"),
    ] {
        let workspace = Some(workspace.clone());
        let options = Options { limits, workspace, ..Options::default() };
        let error = fetch(&repository.url, &Ref::Default, &options).await.unwrap_err();
        let expected = format!("the repository `{}` has more than {expected}", repository.url);
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(std::fs::read_dir(&workspace).unwrap().count(), 0);
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://127.0.0.1:{}/a.git", listener.local_addr().unwrap().port());
    let options = Options { timeout: Duration::from_millis(300), ..Options::default() };
    let error = fetch(&url, &Ref::Default, &options).await.unwrap_err();
    assert_eq!(error.to_string(), format!("fetching from `{url}` took more than 0 s"));
    drop(listener);
}

#[tokio::test]
async fn plain_http_is_for_this_machine_alone() {
    let error = get("http://git.example.org/a/b", Ref::Default).await.unwrap_err().to_string();
    assert!(error.contains("plain HTTP"), "{error}");
}

#[tokio::test]
async fn a_path_is_a_repository_too() {
    let Some(server) = server("a_path_is_a_repository_too") else { return };
    let repository = server.repository("shop", &[("a.yaml", "v: 1\n")]).unwrap();
    let path = repository.path().display().to_string();
    let fetched = get(&path, Ref::Branch("main".into())).await.unwrap();
    assert_eq!(text(&fetched, "/a.yaml"), "v: 1\n");
}

#[test]
fn a_checkout_says_where_it_is() {
    let Some(server) = server("a_checkout_says_where_it_is") else { return };
    let repository = server.repository("shop", &[("deep/er/a.yaml", "v: 1\n")]).unwrap();
    let origin = "https://ann:hunter2@git.example.org/acme/shop.git";
    repository.run(&["remote", "set-url", "origin", origin]).unwrap();
    let commit = repository.run(&["rev-parse", "HEAD"]).unwrap();
    let described = describe(&repository.work_tree().join("deep/er")).unwrap();
    assert_eq!(described.url, "https://git.example.org/acme/shop.git");
    assert_eq!(described.revision(), format!("main@sha1:{commit}"));
    assert_eq!(described.committed_at, COMMITTED_AT);
    repository.run(&["tag", "v1"]).unwrap();
    repository.run(&["checkout", "--quiet", "--detach"]).unwrap();
    assert_eq!(describe(repository.work_tree()).unwrap().reference, "v1");
    assert!(describe(&std::env::temp_dir()).is_none());
}
