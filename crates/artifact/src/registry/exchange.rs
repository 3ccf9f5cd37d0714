//! One request to a registry: answered to whoever asks who we are, and followed where it leads.

use std::sync::Arc;

use bytes::Bytes;
use reqwest::header::{
    AUTHORIZATION, CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue, LOCATION,
};
use reqwest::{Method, Response, StatusCode, Url};

use super::auth::Authorization;
use super::body::{Body, Pulse};
use super::challenge::Challenge;
use super::failure::{Failure, Trouble};
use super::refusal::{Refusal, Said};
use super::scope::Scope;
use super::transport::Door;
use super::{Repository, host, retry};
use crate::Error;

/// How often a request is passed on.
const MOST_HOPS: usize = 5;
/// How often a registry may ask who we are: as nobody, with a token for what we think is needed, with one for what
/// it says is needed.
const MOST_CHALLENGES: usize = 3;
/// As much of a refusal is read.
const LONGEST_REFUSAL: u64 = 64 << 10;
/// What to do about a registry that was taken for one without encryption.
const SECURE: &str = "leave out `--plain-http`, or on the loopback interface give `--ca-file`";

/// A request.
pub(super) struct Request<'a> {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Body<'a>,
    pub(super) scope: Scope,
    /// What it is for, as in "read tag `v1`".
    pub(super) action: String,
    /// What is not there if the registry answers so.
    pub(super) missing: Option<String>,
}

/// An answer, and what was shown to get it.
pub(super) struct Answer {
    pub(super) response: Response,
    pub(super) authorization: Option<Arc<Authorization>>,
    /// Whether it comes from somebody whom the registry, or who gives its tokens, passed us on to.
    pub(super) is_foreign: bool,
}

impl<'a> Request<'a> {
    pub(super) fn new(method: Method, url: Url, scope: Scope, action: impl Into<String>) -> Self {
        let (headers, action) = (HeaderMap::new(), action.into());
        Self { method, url, headers, body: Body::Nothing, scope, action, missing: None }
    }

    pub(super) fn header(mut self, name: HeaderName, value: &str) -> Self {
        // None of our own values is refused; a media type from elsewhere may be, and is then not sent.
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.insert(name, value);
        }
        self
    }

    pub(super) fn body(mut self, body: Body<'a>) -> Self {
        self.body = body;
        self
    }

    pub(super) fn missing(mut self, what: impl Into<String>) -> Self {
        self.missing = Some(what.into());
        self
    }
}

impl Answer {
    pub(super) fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// A header, where it is text.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.response.headers().get(name)?.to_str().ok()
    }
}

impl Repository {
    /// Makes a request until it succeeds or it is plain that it will not. `fine` are the statuses that count as
    /// success.
    pub(super) async fn call(&self, request: &Request<'_>, fine: &[u16]) -> Result<Answer, Error> {
        let mut tries = self.client.tries();
        loop {
            match self.attempt(request, fine).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => tries.after(failure).await?,
            }
        }
    }

    /// Makes a request and reads the content of the answer, of which `most` bytes are taken at most.
    pub(super) async fn read(
        &self,
        request: &Request<'_>,
        fine: &[u16],
        most: u64,
    ) -> Result<(Answer, Bytes), Error> {
        let mut tries = self.client.tries();
        loop {
            match self.attempt_read(request, fine, most).await {
                Ok(read) => return Ok(read),
                Err(failure) => tries.after(failure).await?,
            }
        }
    }

    async fn attempt_read(
        &self,
        request: &Request<'_>,
        fine: &[u16],
        most: u64,
    ) -> Result<(Answer, Bytes), Failure> {
        let mut answer = self.attempt(request, fine).await?;
        let url = answer.response.url().clone();
        let content = self.client.transport.content(&mut answer.response, most).await;
        let content =
            content.map_err(|trouble| self.unreachable(&request.action, &url, trouble))?;
        if content.len() as u64 > most {
            let reason = format!("the answer is longer than {most} bytes");
            return Err(self.wrong(&request.action, reason).into());
        }
        Ok((answer, content))
    }

    /// Makes a request once.
    pub(super) async fn attempt(
        &self,
        request: &Request<'_>,
        fine: &[u16],
    ) -> Result<Answer, Failure> {
        let answer = self.exchange(request).await?;
        match fine.contains(&answer.status()) {
            true => Ok(answer),
            false => Err(self.refusal(&request.action, request.missing.as_deref(), answer).await),
        }
    }

    /// Makes a request, and proves who we are if asked.
    async fn exchange(&self, request: &Request<'_>) -> Result<Answer, Failure> {
        let home = self.base()?;
        let is_home = |url: &Url| url.origin() == home.origin();
        let mut authorization = match is_home(&request.url) {
            true => self.foresee(&request.scope).await?,
            false => None,
        };
        let mut asked = 0;
        loop {
            let response = self.follow(request, authorization.as_deref()).await?;
            asked += 1;
            let is_asked = response.status() == StatusCode::UNAUTHORIZED
                && is_home(response.url())
                && asked < MOST_CHALLENGES;
            let challenge = is_asked.then(|| Challenge::choose(response.headers())).flatten();
            let proof = match challenge {
                Some(challenge) => {
                    self.answer(challenge, &request.scope, authorization.as_deref()).await?
                }
                None => None,
            };
            match proof {
                Some(proof) => authorization = Some(proof),
                None => {
                    let is_foreign = !is_home(response.url());
                    return Ok(Answer { response, authorization, is_foreign });
                }
            }
        }
    }

    /// Sends a request where it leads. What proves who we are is sent to the registry alone, and not again once it
    /// has led elsewhere.
    async fn follow(
        &self,
        request: &Request<'_>,
        mut authorization: Option<&Authorization>,
    ) -> Result<Response, Failure> {
        let mut url = request.url.clone();
        for _ in 0..=MOST_HOPS {
            let response = self.send(request, &url, authorization).await?;
            let Some(next) = self.next_hop(request, &response)? else { return Ok(response) };
            if next.origin() != url.origin() {
                authorization = None;
            }
            url = next;
        }
        let reason = format!("the registry passed us on more than {MOST_HOPS} times");
        Err(self.wrong(&request.action, reason).into())
    }

    /// Where an answer leads, if it leads on.
    fn next_hop(&self, request: &Request<'_>, response: &Response) -> Result<Option<Url>, Error> {
        let leads_on = match response.status().as_u16() {
            // These would turn a request that changes something into one that reads.
            301..=303 => matches!(request.method, Method::GET | Method::HEAD),
            307 | 308 => true,
            _ => false,
        };
        match response.headers().get(LOCATION) {
            Some(location) if leads_on => {
                self.location(&request.action, response.url(), location).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Reads where a header leads. An encrypted connection does not lead to one that is not.
    pub(super) fn location(
        &self,
        action: &str,
        base: &Url,
        location: &HeaderValue,
    ) -> Result<Url, Error> {
        let url = location.to_str().ok().and_then(|text| base.join(text).ok());
        let Some(url) = url.filter(|url| matches!(url.scheme(), "https" | "http")) else {
            return Err(self.wrong(action, "the registry passed us on to what is not a URL"));
        };
        if base.scheme() == "https" && url.scheme() == "http" {
            let reason = format!(
                "the registry passed us on to {}, without encryption",
                host::authority(&url)
            );
            return Err(self.wrong(action, reason));
        }
        Ok(url)
    }

    /// Sends a request to one place.
    async fn send(
        &self,
        request: &Request<'_>,
        url: &Url,
        authorization: Option<&Authorization>,
    ) -> Result<Response, Failure> {
        let pulse = Arc::new(Pulse::default());
        let (body, length) = request.body.open(&pulse).await?;
        let mut outgoing = reqwest::Request::new(request.method.clone(), url.clone());
        *outgoing.headers_mut() = request.headers.clone();
        if let Some(length) = length {
            outgoing.headers_mut().insert(CONTENT_LENGTH, length.into());
            *outgoing.body_mut() = Some(body);
        } else if request.method == Method::POST || request.method == Method::PUT {
            outgoing.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        if let Some(authorization) = authorization {
            outgoing.headers_mut().insert(AUTHORIZATION, authorization.header.clone());
        }
        let sent = self.client.transport.send(Door::Open, outgoing, &pulse).await;
        sent.map_err(|trouble| match pulse.take_error() {
            Some(error) => error.into(),
            None => self.unreachable(&request.action, url, trouble),
        })
    }

    /// A refusal, read and explained.
    pub(super) async fn refusal(
        &self,
        action: &str,
        missing: Option<&str>,
        mut answer: Answer,
    ) -> Failure {
        let place = self.place().to_string();
        let status = answer.response.status();
        if let (StatusCode::NOT_FOUND, Some(what)) = (status, missing) {
            return Error::NotFound { what: what.to_owned(), place }.into();
        }
        let again = retry::again(status, answer.response.headers(), self.client.clock.now());
        let host = host::authority(answer.response.url());
        let content = self.client.transport.content(&mut answer.response, LONGEST_REFUSAL).await;
        let authorization = answer.authorization.as_deref();
        let secrets = authorization.map(|it| it.secrets.as_slice()).unwrap_or_default();
        let content = content.unwrap_or_default();
        let Said { code, message } = Said::read(&content, secrets);
        let remedy = match answer.is_foreign {
            true => None,
            false => self.remedy(status, authorization, answer.response.url(), &content),
        };
        let action = action.to_owned();
        let refusal =
            Refusal { action, place, host, status: status.as_u16(), code, message, remedy };
        Failure { error: Error::Denied(Box::new(refusal)), again }
    }

    /// What can be done about a refusal.
    fn remedy(
        &self,
        status: StatusCode,
        authorization: Option<&Authorization>,
        url: &Url,
        content: &[u8],
    ) -> Option<String> {
        let host = &self.host;
        let who = authorization.and_then(|it| it.who.as_deref());
        match (status.as_u16(), who) {
            (401 | 403, None) => Some(format!(
                "no credentials were found for it: log in, as with `docker login {host}`, or give them with `--creds`"
            )),
            (401, Some(who)) => Some(format!("{who} was refused: are user and password right?")),
            (403, Some(who)) => Some(format!("{who} may not do that")),
            (404, None) => Some("where it is private, credentials are needed to see it".to_owned()),
            (404, Some(who)) => Some(format!("or {who} may not see it")),
            (429, _) => Some("the registry limits how much is asked of it: try later".to_owned()),
            // What Go's servers say to whoever speaks HTTP to them.
            (400, _) if content.ends_with(b"HTTP request to an HTTPS server.\n") => {
                Some(format!("it speaks HTTPS: {SECURE}"))
            }
            // What was asked by HEAD is refused without a word.
            (400, _) if content.is_empty() && url.scheme() == "http" => {
                Some(format!("if it speaks HTTPS, {SECURE}"))
            }
            _ => None,
        }
    }

    /// A connection that did not hold.
    pub(super) fn unreachable(&self, action: &str, url: &Url, trouble: Trouble) -> Failure {
        let Trouble { source, again, remedy } = trouble;
        let error = Error::Unreachable {
            action: action.to_owned(),
            place: self.place().to_string(),
            host: host::authority(url),
            remedy,
            source,
        };
        Failure { error, again }
    }

    /// An answer that makes no sense.
    pub(super) fn wrong(&self, action: &str, reason: impl Into<String>) -> Error {
        let place = self.place().to_string();
        Error::Answer { action: action.to_owned(), place, reason: reason.into() }
    }
}
