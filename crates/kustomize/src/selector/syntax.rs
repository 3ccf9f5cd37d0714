//! The syntax of label selectors, with the error texts of Kubernetes' own parser.

use std::collections::BTreeSet;

use super::labels::{Operator, Requirement};
use crate::gotext;

/// What a selector is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    End,
    Word(String),
    /// `=`, `==`, `!=`, `!`, `>`, `<`, `(`, `)`, `,`
    Symbol(&'static str),
}

impl Token {
    /// The text that errors show.
    fn literal(&self) -> &str {
        match self {
            Self::End => "",
            Self::Word(text) => text,
            Self::Symbol(text) => text,
        }
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self, Self::Symbol(it) if *it == symbol)
    }

    fn is_word(&self) -> bool {
        matches!(self, Self::Word(_))
    }
}

/// Reads the requirements of a selector.
pub(super) fn parse(text: &str) -> Result<Vec<Requirement>, String> {
    let mut parser = Parser { tokens: tokens(text), position: 0 };
    let mut requirements = Vec::new();
    loop {
        let token = parser.peek();
        if *token == Token::End {
            return Ok(requirements);
        }
        if !token.is_word() && !token.is("!") {
            let literal = token.literal();
            return Err(format!("found '{literal}', expected: !, identifier, or 'end of string'"));
        }
        let requirement = parser
            .requirement()
            .map_err(|error| format!("unable to parse requirement: {error}"))?;
        requirements.push(requirement);
        match parser.next() {
            Token::End => return Ok(requirements),
            token if token.is(",") => {
                let next = parser.peek();
                if !next.is_word() && !next.is("!") {
                    let literal = next.literal();
                    return Err(format!("found '{literal}', expected: identifier after ','"));
                }
            }
            token => {
                let literal = token.literal();
                return Err(format!("found '{literal}', expected: ',' or 'end of string'"));
            }
        }
    }
}

fn tokens(text: &str) -> Vec<Token> {
    // A zero byte ends the text, as it does upstream.
    let text = text.split('\0').next().unwrap_or_default();
    let mut rest = text.trim_start_matches(is_space);
    let mut tokens = Vec::new();
    while !rest.is_empty() {
        let (token, after) = symbol(rest).unwrap_or_else(|| word(rest));
        tokens.push(token);
        rest = after.trim_start_matches(is_space);
    }
    tokens.push(Token::End);
    tokens
}

fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\r' | '\n')
}

fn is_symbol(letter: char) -> bool {
    matches!(letter, '=' | '!' | '(' | ')' | ',' | '>' | '<')
}

fn word(rest: &str) -> (Token, &str) {
    let end = rest.find(|letter| is_symbol(letter) || is_space(letter)).unwrap_or(rest.len());
    (Token::Word(rest[..end].to_owned()), &rest[end..])
}

/// The longest symbol at the beginning.
fn symbol(rest: &str) -> Option<(Token, &str)> {
    const SYMBOLS: [&str; 9] = ["==", "!=", "=", "!", "(", ")", ",", ">", "<"];
    let symbol = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol))?;
    Some((Token::Symbol(symbol), &rest[symbol.len()..]))
}

struct Parser {
    tokens: Vec<Token>,
    position: usize,
}

impl Parser {
    fn peek(&self) -> &Token {
        self.tokens.get(self.position).unwrap_or(&Token::End)
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.position += 1;
        token
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let is_negated = self.peek().is("!");
        if is_negated {
            self.position += 1;
        }
        let key = match self.next() {
            Token::Word(key) => key,
            token => return Err(format!("found '{}', expected: identifier", token.literal())),
        };
        check_key(&key)?;
        if is_negated {
            return Ok(Requirement { key, operator: Operator::DoesNotExist, values: Vec::new() });
        }
        if *self.peek() == Token::End || self.peek().is(",") {
            return Ok(Requirement { key, operator: Operator::Exists, values: Vec::new() });
        }
        let (operator, is_set) = self.operator()?;
        let values = if is_set { self.values()? } else { BTreeSet::from([self.value()?]) };
        let values: Vec<String> = values.into_iter().collect();
        check_values(&key, operator, &values)?;
        Ok(Requirement { key, operator, values })
    }

    /// The operator, and whether a set of values follows it.
    fn operator(&mut self) -> Result<(Operator, bool), String> {
        let token = self.next();
        match (&token, token.literal()) {
            (Token::Word(_), "in") => Ok((Operator::In, true)),
            (Token::Word(_), "notin") => Ok((Operator::NotIn, true)),
            (Token::Symbol(_), "=" | "==") => Ok((Operator::In, false)),
            (Token::Symbol(_), "!=") => Ok((Operator::NotIn, false)),
            (Token::Symbol(_), ">") => Ok((Operator::GreaterThan, false)),
            (Token::Symbol(_), "<") => Ok((Operator::LessThan, false)),
            (_, literal) => {
                Err(format!("found '{literal}', expected: '=', '!=', '==', 'in', notin'"))
            }
        }
    }

    fn value(&mut self) -> Result<String, String> {
        if *self.peek() == Token::End || self.peek().is(",") {
            return Ok(String::new());
        }
        match self.next() {
            Token::Word(text) => Ok(text),
            token => Err(format!("found '{}', expected: identifier", token.literal())),
        }
    }

    /// Values in parentheses; between two commas stands an empty one.
    fn values(&mut self) -> Result<BTreeSet<String>, String> {
        let open = self.next();
        if !open.is("(") {
            return Err(format!("found '{}' expected: '('", open.literal()));
        }
        let first = self.peek().clone();
        if first.is(")") {
            self.position += 1;
            return Ok(BTreeSet::from([String::new()]));
        }
        if !first.is_word() && !first.is(",") {
            let literal = first.literal();
            return Err(format!("found '{literal}', expected: ',', ')' or identifier"));
        }
        let values = self.listed()?;
        if !self.next().is(")") {
            return Err(format!("found '{}', expected: ')'", first.literal()));
        }
        Ok(values)
    }

    fn listed(&mut self) -> Result<BTreeSet<String>, String> {
        let mut values = BTreeSet::new();
        loop {
            match self.next() {
                Token::Word(text) => {
                    values.insert(text);
                    let next = self.peek();
                    if next.is(")") {
                        return Ok(values);
                    }
                    if !next.is(",") {
                        return Err(format!("found '{}', expected: ',' or ')'", next.literal()));
                    }
                }
                token if token.is(",") => {
                    if values.is_empty() {
                        values.insert(String::new());
                    }
                    if self.peek().is(")") {
                        values.insert(String::new());
                        return Ok(values);
                    }
                    if self.peek().is(",") {
                        self.position += 1;
                        values.insert(String::new());
                    }
                }
                token => {
                    let literal = token.literal();
                    return Err(format!("found '{literal}', expected: ',', or identifier"));
                }
            }
        }
    }
}

fn check_values(key: &str, operator: Operator, values: &[String]) -> Result<(), String> {
    if matches!(operator, Operator::GreaterThan | Operator::LessThan)
        && values.iter().any(|value| value.parse::<i64>().is_err())
    {
        return Err("for 'Gt', 'Lt' operators, the value must be an integer".to_owned());
    }
    values.iter().try_for_each(|value| check_value(key, value))
}

const QUALIFIED: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const SUBDOMAIN: &str = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";

fn check_value(key: &str, value: &str) -> Result<(), String> {
    let mut errors = Vec::new();
    if value.len() > 63 {
        errors.push("must be no more than 63 characters".to_owned());
    }
    if !value.is_empty() && !is_qualified(value) {
        errors.push(format!("a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '({QUALIFIED})?')"));
    }
    if errors.is_empty() {
        return Ok(());
    }
    let (value, key) = (gotext::quote(value), gotext::quote(key));
    Err(format!("invalid label value: {value}: at key: {key}: {}", errors.join("; ")))
}

fn check_key(key: &str) -> Result<(), String> {
    let errors = key_errors(key);
    if errors.is_empty() {
        return Ok(());
    }
    Err(format!("invalid label key {}: {}", gotext::quote(key), errors.join("; ")))
}

fn key_errors(key: &str) -> Vec<String> {
    let must = format!(
        "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '{QUALIFIED}')"
    );
    let mut errors = Vec::new();
    let parts: Vec<&str> = key.split('/').collect();
    let name = match parts.as_slice() {
        [name] => *name,
        [prefix, name] => {
            errors.extend(prefix_errors(prefix));
            *name
        }
        _ => {
            return vec![format!(
                "a qualified name {must} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        errors.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        errors.push("name part must be no more than 63 characters".to_owned());
    }
    if !is_qualified(name) {
        errors.push(format!("name part {must}"));
    }
    errors
}

fn prefix_errors(prefix: &str) -> Vec<String> {
    if prefix.is_empty() {
        return vec!["prefix part must be non-empty".to_owned()];
    }
    let mut errors = Vec::new();
    if prefix.len() > 253 {
        errors.push("prefix part must be no more than 253 characters".to_owned());
    }
    if !prefix.split('.').all(is_dns_label) {
        errors.push(format!("prefix part a DNS-1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '{SUBDOMAIN}')"));
    }
    errors
}

fn is_qualified(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && text.ends_with(|letter: char| letter.is_ascii_alphanumeric())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

fn is_dns_label(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    text.bytes().next().is_some_and(is_letter)
        && text.bytes().last().is_some_and(is_letter)
        && text.bytes().all(|byte| is_letter(byte) || byte == b'-')
}
