//! Proves who we are to a registry, as far as it wants to know.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kelson_model::Secret;
use reqwest::header::HeaderValue;

use super::Repository;
use super::challenge::{Bearer, Challenge};
use super::failure::Failure;
use super::options::Given;
use super::scope::Scope;
use super::token::{Token, basic, bearer};
use crate::Error;
use crate::credentials::{Credential, Keychain, Login};

/// What is known of who we are, what registries ask, and what they were shown.
pub(super) struct Auth {
    given: Vec<Given>,
    keychain: Keychain,
    /// What each registry asked, so that it need not ask again.
    asked: Mutex<HashMap<Arc<str>, Challenge>>,
    /// One cell per registry and scope: who comes second waits for the token that the first one gets.
    tokens: Mutex<HashMap<(Arc<str>, Scope), Cell>>,
}

type Cell = Arc<tokio::sync::Mutex<Option<Token>>>;

/// What is shown to a registry.
pub(super) struct Authorization {
    pub(super) header: HeaderValue,
    /// Who we say that we are, and where that was found, for people.
    pub(super) who: Option<String>,
    /// What must not be repeated in a message.
    pub(super) secrets: Vec<Secret>,
    scope: Option<Scope>,
    is_new: bool,
}

impl Auth {
    pub(super) fn new(given: Vec<Given>, keychain: Keychain) -> Self {
        Self { given, keychain, asked: Mutex::default(), tokens: Mutex::default() }
    }
}

impl Repository {
    /// What to show from the start: what the registry wanted to see before.
    pub(super) async fn foresee(
        &self,
        scope: &Scope,
    ) -> Result<Option<Arc<Authorization>>, Failure> {
        let asked = lock(&self.client.auth.asked).get(&self.host).cloned();
        match asked {
            Some(challenge) => self.prove(&challenge, scope, None).await,
            None => Ok(None),
        }
    }

    /// What to show now that the registry refused what it saw before; nothing if there is nothing better.
    pub(super) async fn answer(
        &self,
        mut challenge: Challenge,
        scope: &Scope,
        refused: Option<&Authorization>,
    ) -> Result<Option<Arc<Authorization>>, Failure> {
        let mut wanted = scope.clone();
        if let Challenge::Bearer(bearer) = &mut challenge
            && let Some(more) = bearer.scope.take()
        {
            wanted = wanted.and(&more);
        }
        lock(&self.client.auth.asked).insert(self.host.clone(), challenge.clone());
        let proof = self.prove(&challenge, &wanted, refused).await?;
        // The same again would be refused again.
        Ok(proof.filter(|new| refused.is_none_or(|refused| new.header != refused.header)))
    }

    async fn prove(
        &self,
        challenge: &Challenge,
        scope: &Scope,
        refused: Option<&Authorization>,
    ) -> Result<Option<Arc<Authorization>>, Failure> {
        let credential = self.credential().await?;
        let bearer = match (challenge, &credential) {
            (_, Some(Credential { login: Login::Registry(_), .. })) | (Challenge::Basic, _) => {
                return Ok(credential.as_ref().map(|it| Arc::new(Authorization::with(it))));
            }
            (Challenge::Bearer(bearer), _) => bearer,
        };
        // A new token for the same was not enough, so that another one would not be.
        if refused.is_some_and(|it| it.is_new && it.scope.as_ref() == Some(scope)) {
            return Ok(None);
        }
        let (token, is_new) = self.token(bearer, scope, credential.as_ref(), refused).await?;
        let mut authorization = Authorization::with_token(token, credential.as_ref());
        authorization.scope = Some(scope.clone());
        authorization.is_new = is_new;
        Ok(Some(Arc::new(authorization)))
    }

    /// A token for a scope: the one that is there, unless it has ended or was refused.
    async fn token(
        &self,
        bearer: &Bearer,
        scope: &Scope,
        credential: Option<&Credential>,
        refused: Option<&Authorization>,
    ) -> Result<(Token, bool), Failure> {
        let key = (self.host.clone(), scope.clone());
        let cell = lock(&self.client.auth.tokens).entry(key).or_default().clone();
        let mut kept = cell.lock().await;
        let was_refused =
            |token: &Token| refused.is_some_and(|it| it.secrets.contains(&token.secret));
        match kept.as_ref() {
            Some(token) if token.until > self.client.clock.now() && !was_refused(token) => {
                Ok((token.clone(), false))
            }
            _ => {
                let token = self.fetch_token(bearer, scope, credential).await?;
                *kept = Some(token.clone());
                Ok((token, true))
            }
        }
    }

    /// Who we are to this repository's registry.
    async fn credential(&self) -> Result<Option<Credential>, Error> {
        let auth = &self.client.auth;
        let is_meant =
            |given: &&Given| given.host.as_deref().is_none_or(|host| *host == *self.host);
        match auth.given.iter().find(is_meant).cloned() {
            Some(Given { user, password, .. }) => Ok(Some(Credential {
                login: Login::Password { user, password },
                origin: "the command line".to_owned(),
            })),
            None => auth.keychain.find(&self.host, &self.name).await,
        }
    }
}

impl Authorization {
    /// What a login shows where a registry, or the server that gives its tokens, takes it as it is.
    pub(super) fn with(credential: &Credential) -> Self {
        let header = match &credential.login {
            Login::Password { user, password } => basic(user, password),
            Login::Identity(token) | Login::Registry(token) => bearer(token),
        };
        let who = Some(who(credential));
        Self { header, who, secrets: secrets(credential), scope: None, is_new: true }
    }

    fn with_token(token: Token, credential: Option<&Credential>) -> Self {
        let mut secrets = credential.map(secrets).unwrap_or_default();
        let header = bearer(&token.secret);
        secrets.push(token.secret);
        Self { header, who: credential.map(who), secrets, scope: None, is_new: true }
    }
}

/// A credential as people may see it.
fn who(credential: &Credential) -> String {
    match &credential.login {
        Login::Password { user, .. } => {
            format!("user `{}` of {}", crate::error::shown(user), credential.origin)
        }
        Login::Identity(_) | Login::Registry(_) => format!("the token of {}", credential.origin),
    }
}

/// What may not be repeated: a password, also as it travels.
fn secrets(credential: &Credential) -> Vec<Secret> {
    match &credential.login {
        Login::Password { user, password } => {
            let header = basic(user, password);
            let encoded = header.to_str().unwrap_or_default().trim_start_matches("Basic ");
            vec![password.clone(), Secret::new(encoded)]
        }
        Login::Identity(token) | Login::Registry(token) => vec![token.clone()],
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing panics while it holds one of these.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
