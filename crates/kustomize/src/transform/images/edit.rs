//! What one entry makes of an image.

use kelson_yaml::Span;

use crate::fault::Result;
use crate::goregex::GoRegex;
use crate::kustomization::Image;

/// One entry of `images`, compiled.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    image: Image,
    name: Name,
}

/// How the name of an image is compared.
#[derive(Clone, Debug)]
enum Name {
    /// Letters that stand for themselves, and dots, which stand for any letter.
    Simple,
    /// A pattern. It is spliced into a greater one as it is, so an error shows only where it is used.
    Pattern(Result<GoRegex>),
}

/// The text after the name, as upstream has it in its pattern.
const TAIL: &str = "(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?$";

impl Edit {
    /// Compiles an entry.
    pub(crate) fn new(image: Image) -> Self {
        let is_simple = |byte: u8| byte.is_ascii_alphanumeric() || b"-_/.:@".contains(&byte);
        let name = if image.name.bytes().all(is_simple) {
            Name::Simple
        } else {
            let regex = GoRegex::new(&format!("^{}{TAIL}", &*image.name));
            Name::Pattern(regex.map_err(|fault| fault.at(image.name.span, "in this name")))
        };
        Self { image, name }
    }

    /// The image as the entry wants it, if it is about this one; with the place in the entry that gave
    /// the text.
    pub(super) fn apply(&self, image: &str) -> Result<Option<(String, Option<Span>)>> {
        let is_meant = match &self.name {
            Name::Simple => is_named(image, &self.image.name),
            Name::Pattern(regex) => regex.as_ref().map_err(Box::clone)?.is_match(image),
        };
        Ok(is_meant.then(|| self.edited(image)))
    }

    fn edited(&self, image: &str) -> (String, Option<Span>) {
        let new = &self.image;
        let (name, tag, digest) = split(image);
        let name = if new.new_name.is_empty() { name } else { &new.new_name };
        let suffixed = format!("{tag}{}", &*new.tag_suffix);
        let (tag, digest) = match (new.new_tag.is_empty(), new.digest.is_empty()) {
            (false, false) => (&*new.new_tag, &*new.digest),
            (false, true) => (&*new.new_tag, ""),
            (true, false) => ("", &*new.digest),
            (true, true) if !new.tag_suffix.is_empty() => (suffixed.as_str(), ""),
            (true, true) => (tag, digest),
        };
        let mut text = name.to_owned();
        for (mark, part) in [(':', tag), ('@', digest)] {
            if !part.is_empty() {
                text.push(mark);
                text.push_str(part);
            }
        }
        (text, self.source())
    }

    /// The place that gave the last part of the text: who changes it there changes every image of the entry.
    fn source(&self) -> Option<Span> {
        let new = &self.image;
        let parts = [&new.new_tag, &new.digest, &new.tag_suffix, &new.new_name];
        parts.into_iter().find(|text| !text.is_empty()).map(|text| text.span)
    }
}

/// Whether an image has this name, where dots stand for any letter but a line break.
fn is_named(image: &str, name: &str) -> bool {
    let mut letters = image.chars();
    let fits = name.chars().all(|wanted| match letters.next() {
        Some(letter) => letter == wanted || (wanted == '.' && letter != '\n'),
        None => false,
    });
    fits && is_tail(letters.as_str())
}

/// Whether a text is an optional tag and an optional digest.
fn is_tail(text: &str) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.{}-".contains(byte);
    let after = |text: &str| text.bytes().take_while(is_part).count();
    let mut rest = text;
    if let Some(tag) = rest.strip_prefix(':') {
        rest = &tag[after(tag)..];
    }
    if let Some(digest) = rest.strip_prefix("@sha256:") {
        rest = &digest[after(digest)..];
    }
    rest.is_empty()
}

/// An image without its tag and digest.
pub(super) fn name_of(image: &str) -> &str {
    split(image).0
}

/// Name, tag and digest. Marks in front of the first slash belong to the host.
fn split(image: &str) -> (&str, &str, &str) {
    let host = image.find('/').unwrap_or(0);
    let find = |mark: char| image[host..].find(mark).map(|at| host + at);
    match (find(':'), find('@')) {
        (None, None) => (image, "", ""),
        (Some(colon), Some(at)) if colon < at => {
            (&image[..colon], &image[colon + 1..at], &image[at + 1..])
        }
        (_, Some(at)) => (&image[..at], "", &image[at + 1..]),
        (Some(colon), None) => (&image[..colon], &image[colon + 1..], ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::Str;

    #[track_caller]
    fn check(entry: [&str; 5], image: &str, expected: Option<&str>) {
        let [name, new_name, new_tag, digest, tag_suffix] = entry.map(Str::new);
        let image_entry = Image { name, new_name, new_tag, digest, tag_suffix, ..Image::default() };
        let edited = Edit::new(image_entry).apply(image).unwrap();
        assert_eq!(edited.map(|(text, _)| text).as_deref(), expected);
    }

    #[test]
    fn marks_before_the_first_slash_belong_to_the_host() {
        check(["h:5/a", "b", "", "", ""], "h:5/a:1", Some("b:1"));
        check(["h:5/a", "", "2", "", ""], "h:5/a", Some("h:5/a:2"));
    }

    #[test]
    fn tag_and_digest_replace_each_other() {
        check(["a", "", "2", "", ""], "a:1@sha256:ff", Some("a:2"));
        check(["a", "", "", "sha256:ee", ""], "a:1", Some("a@sha256:ee"));
        check(["a", "", "2", "sha256:ee", ""], "a", Some("a:2@sha256:ee"));
        check(["a", "b", "", "", ""], "a:1@sha256:ff", Some("b:1@sha256:ff"));
        check(["a", "", "", "", "-x"], "a:1@sha256:ff", Some("a:1-x"));
    }

    #[test]
    fn a_name_is_a_pattern() {
        check(["a.c", "", "2", "", ""], "abc", Some("abc:2"));
        check(["(a|b)+", "", "2", "", ""], "abba:1", Some("abba:2"));
        check(["a", "", "2", "", ""], "ab", None);
        check(["a", "", "2", "", ""], "a@md5:1", None);
        check(["a|b", "c", "", "", ""], "ax", Some("c"));
    }
}
