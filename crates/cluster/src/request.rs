//! One request, with its retries.
//!
//! A [`Request`] is a value; [`Cluster::send`] sends it, when it is its turn, and again where that may help: all our
//! requests may come twice. Whoever must know whether a refused request may yet have been carried out, since an earlier
//! try of it went without an answer, looks at [`Refused::unsure`].

pub(crate) mod failure; // no answer came
mod lines; // an answer that goes on
mod path; // where an object is
mod redact; // nothing of a Secret is said
mod retry; // when to try again
mod status; // the answer is no

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http::Method;
use http::header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER};
use http_body_util::{BodyExt, Limited};
use kelson_plan::{Event, Listener, Refusal};
use kelson_yaml::{Node, Span};
use kube::client::Body;

pub(crate) use self::lines::Lines;
pub(crate) use self::path::path;
use self::retry::{Again, Tries};
use crate::Cluster;

/// What is asked for where nothing else is.
const JSON: &str = "application/json";
/// How long a request may take where nobody says: an API server gives up after a minute itself.
const LIMIT: Duration = Duration::from_secs(90);
/// The largest answer that is read. A page has some hundred objects of at most some megabytes each.
const LARGEST: usize = 1 << 30;

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// Without the query; see [`path`] for that of an object.
    pub(crate) path: String,
    pub(crate) query: Vec<(&'static str, String)>,
    pub(crate) accept: &'static str,
    content_type: &'static str,
    body: Bytes,
}

/// An answer that is not a refusal.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) text: String,
}

/// A request that was refused, or went without an answer.
#[derive(Clone, Debug)]
pub(crate) struct Refused {
    pub(crate) refusal: Refusal,
    /// Whether an earlier try, or this one, may have been carried out all the same.
    pub(crate) unsure: bool,
}

/// A single try that failed.
struct Failed {
    refusal: Refusal,
    again: Again,
    /// Whether it may have been carried out.
    unsure: bool,
}

impl Request {
    /// Reads an object or a list.
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path, JSON, "")
    }

    /// Creates an object of a collection.
    pub(crate) fn post(path: impl Into<String>, body: impl Into<String>) -> Self {
        Self::new(Method::POST, path, JSON, body)
    }

    /// Deletes an object; the body holds the options.
    pub(crate) fn delete(path: impl Into<String>, body: impl Into<String>) -> Self {
        Self::new(Method::DELETE, path, JSON, body)
    }

    /// Server-side apply. JSON is YAML too, and sooner read.
    pub(crate) fn apply(path: impl Into<String>, body: impl Into<String>) -> Self {
        Self::new(Method::PATCH, path, "application/apply-patch+yaml", body)
    }

    /// A JSON patch.
    pub(crate) fn json_patch(path: impl Into<String>, body: impl Into<String>) -> Self {
        Self::new(Method::PATCH, path, "application/json-patch+json", body)
    }

    fn new(
        method: Method,
        path: impl Into<String>,
        content_type: &'static str,
        body: impl Into<String>,
    ) -> Self {
        let body = Bytes::from(body.into());
        Self { method, path: path.into(), query: Vec::new(), accept: JSON, content_type, body }
    }

    /// Adds a parameter.
    pub(crate) fn with(mut self, key: &'static str, value: impl Into<String>) -> Self {
        self.query.push((key, value.into()));
        self
    }

    /// Asks for another form of the answer.
    pub(crate) fn accepting(mut self, accept: &'static str) -> Self {
        self.accept = accept;
        self
    }

    fn target(&self) -> String {
        let mut target = self.path.clone();
        for (index, (key, value)) in self.query.iter().enumerate() {
            target.push(if index == 0 { '?' } else { '&' });
            target.push_str(key);
            target.push('=');
            path::encode(value, &mut target);
        }
        target
    }

    fn to_http(&self) -> Result<http::Request<Body>, http::Error> {
        let builder = http::Request::builder()
            .method(self.method.clone())
            .uri(self.target())
            .header(ACCEPT, self.accept);
        let builder = match self.body.is_empty() {
            true => builder,
            false => builder.header(CONTENT_TYPE, self.content_type),
        };
        builder.body(Body::from(self.body.clone()))
    }
}

impl fmt::Display for Request {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.method, self.path)
    }
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        refused.refusal
    }
}

impl Answer {
    /// The answer as a tree.
    pub(crate) fn node(&self) -> Result<Node, Refusal> {
        kelson_yaml::json::read(&self.text, Span::NONE).map_err(|_| unreadable())
    }

    /// A text in it, by its JSON pointer.
    pub(crate) fn text_at(&self, pointer: &str) -> Option<String> {
        let value: serde_json::Value = serde_json::from_str(&self.text).ok()?;
        Some(value.pointer(pointer)?.as_str()?.to_owned())
    }
}

/// What is said of an answer that is not JSON, or not what was asked for.
pub(crate) fn unreadable() -> Refusal {
    let message = "the answer of the server cannot be read; is it an API server?".to_owned();
    Refusal { message, ..Refusal::default() }
}

impl Cluster {
    /// Sends a request when it is its turn, and again where that may help.
    pub(crate) async fn send(
        &self,
        request: &Request,
        listener: &dyn Listener,
    ) -> Result<Answer, Refused> {
        // The turn is kept during pauses: a server that asks us to slow down sees fewer of us.
        let _turn = self.turns().acquire().await;
        self.send_at_once(request, listener).await
    }

    /// As [`Cluster::send`], but out of turn: for the few requests that others must not hold up.
    pub(crate) async fn send_at_once(
        &self,
        request: &Request,
        listener: &dyn Listener,
    ) -> Result<Answer, Refused> {
        let mut tries = Tries::begin();
        let mut unsure = false;
        loop {
            let failed = match self.attempt(request).await {
                Ok(answer) => return Ok(answer),
                Err(failed) => failed,
            };
            unsure |= failed.unsure;
            let Some(pause) = tries.pause(failed.again) else {
                return Err(Refused { refusal: failed.refusal, unsure });
            };
            let (what, why) = (request.to_string(), failed.refusal.to_string());
            listener.hear(&Event::Retry { what, why });
            tokio::time::sleep(pause).await;
        }
    }

    /// Opens an answer that goes on, such as a watch. It takes no turn, since it lasts, and is not tried again.
    pub(crate) async fn stream(&self, request: &Request) -> Result<Lines, Refusal> {
        let opened = self.timed(self.open(request)).await;
        opened.map(Lines::new).map_err(|failed| failed.refusal)
    }

    async fn attempt(&self, request: &Request) -> Result<Answer, Failed> {
        self.timed(async {
            let body = self.open(request).await?;
            Ok(Answer { text: self.text(body).await? })
        })
        .await
    }

    async fn timed<T>(&self, work: impl Future<Output = Result<T, Failed>>) -> Result<T, Failed> {
        let limit = self.request_timeout().unwrap_or(LIMIT);
        let timed = tokio::time::timeout(limit, work).await;
        timed.unwrap_or_else(|_| {
            let message = format!("no answer from {} within {limit:?}", self.server());
            Err(Failed::silent(message, Again::Soon))
        })
    }

    /// Sends it, and reads why where the answer is no.
    async fn open(&self, request: &Request) -> Result<Body, Failed> {
        let no = |error: &(dyn std::error::Error + 'static)| {
            let message = format!("no answer from {}: {}", self.server(), failure::words(error));
            Failed::silent(message, failure::again(error))
        };
        let sent = request.to_http().map_err(|error| no(&error))?;
        let response = self.client().send(sent).await.map_err(|error| no(&error))?;
        let code = response.status().as_u16();
        if response.status().is_success() {
            return Ok(response.into_body());
        }
        let told = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let again = retry::again(code, told);
        let text = self.text(response.into_body()).await.unwrap_or_default();
        let refusal = status::read(code, &text);
        let again = if status::is_our_mistake(&refusal) { Again::Never } else { again };
        let refusal = redact::redact(refusal, request);
        // Who is told to come back later was not served, and what is plainly refused was not done.
        let unsure = matches!(again, Again::Perhaps | Again::Soon);
        Err(Failed { refusal, again, unsure })
    }

    async fn text(&self, body: Body) -> Result<String, Failed> {
        let collected = Limited::new(body, LARGEST).collect().await.map_err(|error| {
            let why = failure::words(error.as_ref());
            let message = format!("the answer of {} broke off: {why}", self.server());
            Failed::silent(message, Again::Soon)
        })?;
        String::from_utf8(Vec::from(collected.to_bytes())).map_err(|_| Failed {
            refusal: unreadable(),
            again: Again::Never,
            unsure: true,
        })
    }
}

impl Failed {
    /// No answer, or none that can be read.
    fn silent(message: String, again: Again) -> Self {
        Self { refusal: Refusal { message, ..Refusal::default() }, again, unsure: true }
    }
}
