//! What a token is for.

use std::fmt;

/// Resources with what may be done to them, as registries name them: `repository:acme/shop:pull`. In order and without
/// repetition, so that one scope has one text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Scope(Vec<String>);

impl Scope {
    /// Actions on a repository.
    pub(super) fn new(repository: &str, actions: &str) -> Self {
        Self(vec![format!("repository:{repository}:{actions}")])
    }

    /// This and what another text asks for, which may name several resources.
    pub(super) fn and(&self, more: &str) -> Self {
        let mut all = self.0.clone();
        for resource in more.split_ascii_whitespace() {
            let (name, actions) = split(resource);
            match all.iter_mut().find(|known| split(known).0 == name) {
                Some(known) => add(known, actions),
                None => all.push(resource.to_owned()),
            }
        }
        all.sort_unstable();
        Self(all)
    }

    pub(super) fn resources(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.join(" "))
    }
}

/// The actions, and what they are done to.
fn split(resource: &str) -> (&str, &str) {
    resource.rsplit_once(':').unwrap_or((resource, ""))
}

/// Adds the actions that a resource does not have yet.
fn add(resource: &mut String, actions: &str) {
    for action in actions.split(',').filter(|action| !action.is_empty()) {
        if !split(resource).1.split(',').any(|known| known == action) {
            resource.push(',');
            resource.push_str(action);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_resource_is_named_once_with_all_that_is_done_to_it() {
        let push = Scope::new("a/b", "pull,push");
        assert_eq!(push.and("repository:a/b:pull"), push);
        assert_eq!(
            Scope::new("a/b", "pull")
                .and("repository:a/b:push,delete repository:a/a:pull")
                .to_string(),
            "repository:a/a:pull repository:a/b:pull,push,delete"
        );
    }
}
