//! Tokens: had from the server that the registry names, kept until they end.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kelson_model::Secret;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Method, Request, Response, Url};
use serde::Deserialize;

use super::Repository;
use super::auth::Authorization;
use super::challenge::Bearer;
use super::exchange::Answer;
use super::failure::Failure;
use super::scope::Scope;
use super::transport::{Door, still};
use crate::Error;
use crate::credentials::{Credential, Login};

/// The longest answer that is read.
const LONGEST: u64 = 1 << 20;
/// How long a token lasts that does not say.
const USUAL: u64 = 60;
/// No token is kept longer, whatever it says.
const MOST: u64 = 24 * 3600;

/// A token, and until when it is used.
#[derive(Clone)]
pub(super) struct Token {
    pub(super) secret: Secret,
    pub(super) until: SystemTime,
}

#[derive(Deserialize)]
struct Reply {
    token: Option<String>,
    access_token: Option<String>,
    expires_in: Option<u64>,
}

impl Repository {
    /// Asks for a token.
    pub(super) async fn fetch_token(
        &self,
        bearer: &Bearer,
        scope: &Scope,
        credential: Option<&Credential>,
    ) -> Result<Token, Failure> {
        let (realm, door) = self.check_realm(&bearer.realm).await?;
        let identity = credential.map(|credential| &credential.login);
        let mut answer = None;
        if let Some(Login::Identity(token)) = identity {
            let request = refresh(&realm, bearer, scope, token);
            let response = self.ask_realm(door, request).await?;
            // Older servers know only the other way.
            if !matches!(response.status().as_u16(), 404 | 405) {
                answer = Some(response);
            }
        }
        let response = match answer {
            Some(response) => response,
            None => self.ask_realm(door, ask(&realm, bearer, scope, identity)).await?,
        };
        self.read_token(response, credential).await
    }

    async fn ask_realm(&self, door: Door, request: Request) -> Result<Response, Failure> {
        let url = request.url().clone();
        let sent = self.client.transport.send(door, request, &still()).await;
        sent.map_err(|trouble| self.unreachable(ACTION, &url, trouble))
    }

    async fn read_token(
        &self,
        mut response: Response,
        credential: Option<&Credential>,
    ) -> Result<Token, Failure> {
        if !response.status().is_success() {
            let authorization =
                credential.map(|credential| Arc::new(Authorization::with(credential)));
            let answer = Answer { response, authorization, is_foreign: false };
            return Err(self.refusal(ACTION, None, answer).await);
        }
        let url = response.url().clone();
        let content = self.client.transport.content(&mut response, LONGEST).await;
        let content = content.map_err(|trouble| self.unreachable(ACTION, &url, trouble))?;
        // What the parser says could quote the token.
        let wrong = || Error::Answer {
            action: ACTION.to_owned(),
            place: self.place().to_string(),
            reason: format!("{} did not answer with one", super::host::authority(&url)),
        };
        let reply: Reply = serde_json::from_slice(&content).map_err(|_| wrong())?;
        let given = [reply.token, reply.access_token].into_iter().flatten();
        let secret = given.into_iter().find(|token| !token.is_empty()).ok_or_else(wrong)?;
        let lasts = reply.expires_in.unwrap_or(USUAL).min(MOST);
        // It should not end while it is on its way.
        let lasts = Duration::from_secs(lasts).mul_f32(0.9);
        Ok(Token { secret: secret.into(), until: self.client.clock.now() + lasts })
    }
}

const ACTION: &str = "obtain a token";

/// Asks with a user and a password, or as nobody.
fn ask(realm: &Url, bearer: &Bearer, scope: &Scope, login: Option<&Login>) -> Request {
    let mut url = realm.clone();
    let mut query = url.query_pairs_mut();
    if let Some(service) = &bearer.service {
        query.append_pair("service", service);
    }
    for resource in scope.resources() {
        query.append_pair("scope", resource);
    }
    drop(query);
    let mut request = Request::new(Method::GET, url);
    if let Some(Login::Password { user, password }) = login {
        request.headers_mut().insert(AUTHORIZATION, basic(user, password));
    }
    request
}

/// Asks with a token that stands for a login.
fn refresh(realm: &Url, bearer: &Bearer, scope: &Scope, token: &Secret) -> Request {
    let mut form = Url::parse("form:?").expect("because the text is constant");
    let mut pairs = form.query_pairs_mut();
    pairs.append_pair("grant_type", "refresh_token");
    pairs.append_pair("service", bearer.service.as_deref().unwrap_or_default());
    pairs.append_pair("scope", &scope.to_string());
    pairs.append_pair("client_id", "kelson");
    pairs.append_pair("refresh_token", token.expose());
    drop(pairs);
    let mut request = Request::new(Method::POST, realm.clone());
    let form_type = HeaderValue::from_static("application/x-www-form-urlencoded");
    request.headers_mut().insert(CONTENT_TYPE, form_type);
    *request.body_mut() = Some(form.query().unwrap_or_default().to_owned().into());
    request
}

/// The header with a user and a password.
pub(super) fn basic(user: &str, password: &Secret) -> HeaderValue {
    sensitive(format!("Basic {}", STANDARD.encode(format!("{user}:{}", password.expose()))))
}

/// The header with a token. A token that does not fit into a header is as good as none.
pub(super) fn bearer(token: &Secret) -> HeaderValue {
    sensitive(format!("Bearer {}", token.expose()))
}

fn sensitive(text: String) -> HeaderValue {
    let mut value = HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static(""));
    value.set_sensitive(true);
    value
}
