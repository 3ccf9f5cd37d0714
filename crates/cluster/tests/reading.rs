//! The reading edge on the real API server: connections, discovery, reads, dry runs, and what networks and servers do on
//! bad days.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

#[path = "reading/asked.rs"]
mod asked;
#[path = "reading/connecting.rs"]
mod connecting;
#[path = "reading/discovering.rs"]
mod discovering;
#[path = "reading/faults.rs"]
mod faults;
#[path = "reading/holding.rs"]
mod holding;
#[path = "reading/live.rs"]
mod live;

use std::error::Error as _;
use std::sync::Mutex;

use kelson_cluster::{Cluster, Connection, Error};
use kelson_model::ObjectId;
use kelson_plan::{Event, Kind, Listener, Live, Wanted};
use kelson_testkit::{Shared, shared};

/// The shared control plane, reached as the user who may do everything.
async fn admin() -> (&'static Shared, Cluster) {
    let plane = shared().unwrap();
    let cluster = Cluster::connect(&to(plane)).await.unwrap();
    (plane, cluster)
}

fn to(plane: &Shared) -> Connection {
    Connection { kubeconfig: Some(plane.kubeconfig().to_owned()), ..Connection::default() }
}

/// The same as another user, who may do what RBAC grants to the name.
async fn as_user(plane: &Shared, name: &str) -> Cluster {
    let connection = Connection { impersonate: Some(name.to_owned()), ..to(plane) };
    Cluster::connect(&connection).await.unwrap()
}

/// Applies an object, given as JSON, as a manager.
fn apply(plane: &Shared, path: &str, manager: &str, body: &str) {
    let path = format!("{path}?fieldManager={manager}&force=true");
    let mut bare = plane.bare().unwrap();
    let answer = bare.send("PATCH", &path, "application/apply-patch+yaml", body).unwrap();
    assert!(answer.status < 300, "{} {}", answer.status, answer.body);
}

/// Makes a ConfigMap; labelled as the delivery `shop` of its namespace, or not at all.
fn config_map(plane: &Shared, namespace: &str, name: &str, labelled: bool) {
    let labels = match labelled {
        true => format!(r#"{{"kelson.dev/name":"shop","kelson.dev/namespace":"{namespace}"}}"#),
        false => "{}".to_owned(),
    };
    let body = format!(
        r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{name}","namespace":"{namespace}","labels":{labels}}},"data":{{"a":"b"}}}}"#
    );
    let path = format!("/api/v1/namespaces/{namespace}/configmaps/{name}");
    apply(plane, &path, "kelson", &body);
}

/// Lets a user do something with ConfigMaps of a namespace.
fn grant(plane: &Shared, namespace: &str, user: &str, verbs: &str) {
    let (verbs, role) = (format!("--verb={verbs}"), format!("--role={user}"));
    let user_flag = format!("--user={user}");
    plane
        .kubectl(&["create", "role", user, &verbs, "--resource=configmaps", "-n", namespace])
        .unwrap();
    plane.kubectl(&["create", "rolebinding", user, &role, &user_flag, "-n", namespace]).unwrap();
    eventually("the grant works", || {
        let verb = verbs.trim_start_matches("--verb=").split(',').next().unwrap();
        let asked = ["auth", "can-i", verb, "configmaps", "-n", namespace, "--as", user];
        plane.kubectl(&asked).is_ok()
    });
}

#[track_caller]
fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let begun = std::time::Instant::now();
    while !is_so() {
        assert!(begun.elapsed().as_secs() < 120, "not within two minutes: {what}");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

fn config_maps() -> Kind {
    Kind {
        group: String::new(),
        version: "v1".to_owned(),
        kind: "ConfigMap".to_owned(),
        plural: "configmaps".to_owned(),
        namespaced: true,
        to_come: false,
    }
}

fn id(kind: &Kind, namespace: &str, name: &str) -> ObjectId {
    ObjectId {
        group: kind.group.clone(),
        kind: kind.kind.clone(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    }
}

fn wanted(namespace: &str, names: &[&str]) -> Vec<Wanted> {
    let kind = config_maps();
    let wanted = names.iter().map(|name| Wanted {
        id: id(&kind, namespace, name),
        kind: kind.clone(),
        recorded: None,
    });
    wanted.collect()
}

/// What is known of an object, in a word.
fn word(live: &Live) -> &str {
    match live {
        Live::Absent => "absent",
        Live::Recorded { .. } => "recorded",
        Live::Found(_) => "found",
        Live::Unreadable(_) => "unreadable",
    }
}

/// An error with all its causes.
fn chain(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// Keeps what it hears of retries.
#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Listener for Heard {
    fn hear(&self, event: &Event) {
        if let Event::Retry { what, why } = event {
            self.0.lock().unwrap().push(format!("{what}: {why}"));
        }
    }
}

impl Heard {
    fn retries(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}
