//! Values of a TOML file with their places, and what is wrong with them.

use std::time::Duration;

use kelson_model::{Diagnostic, Sources, nearest};
use kelson_yaml::{SourceId, Span};
use toml_edit::{Item, TableLike};

/// A file on its way from text to values. Problems are collected, so that all of them are said at once.
pub(super) struct Reader {
    pub(super) sources: Sources,
    source: SourceId,
    pub(super) problems: Vec<Diagnostic>,
}

/// A table of the file.
#[derive(Clone, Copy)]
pub(super) struct Table<'a> {
    table: &'a dyn TableLike,
    /// What people call it, with a point at its end; empty for the file itself.
    prefix: &'a str,
    pub(super) at: Span,
}

impl Reader {
    pub(super) fn new(name: &str, text: &str) -> Self {
        let mut sources = Sources::default();
        let source = sources.add(name, text);
        Self { sources, source, problems: Vec::new() }
    }

    pub(super) fn span(&self, range: Option<std::ops::Range<usize>>) -> Span {
        let start = range.map_or(0, |range| u32::try_from(range.start).unwrap_or(u32::MAX));
        Span { source: self.source, start }
    }

    pub(super) fn problem(&mut self, code: &'static str, message: String, at: Span) {
        self.problems.push(Diagnostic::error(code, message).at(at, ""));
    }

    pub(super) fn root<'a>(&self, document: &'a toml_edit::Document<String>) -> Table<'a> {
        Table { table: document.as_table(), prefix: "", at: self.span(None) }
    }

    /// Refuses keys that nobody knows.
    pub(super) fn only(&mut self, table: Table<'_>, known: &[&str]) {
        let unknown: Vec<&str> =
            table.table.iter().map(|(key, _)| key).filter(|key| !known.contains(key)).collect();
        for key in unknown {
            let at = table.key(self, key);
            let name = format!("{}{key}", table.prefix);
            let diagnostic =
                Diagnostic::error("unknown-key", format!("`{name}` is not a field of a component"));
            let diagnostic = diagnostic.at(at, "");
            self.problems.push(match nearest(key, known.iter().copied()) {
                Some(word) => diagnostic.help(format!("did you mean `{word}`?")),
                None => diagnostic.help(format!("known here: {}", known.join(", "))),
            });
        }
    }

    pub(super) fn text(&mut self, table: Table<'_>, key: &str) -> Option<String> {
        let item = table.get(key)?;
        let text = item.as_str().map(str::to_owned);
        if text.is_none() {
            self.wrong(table, key, item, "a text");
        }
        text
    }

    pub(super) fn flag(&mut self, table: Table<'_>, key: &str) -> Option<bool> {
        let item = table.get(key)?;
        let flag = item.as_bool();
        if flag.is_none() {
            self.wrong(table, key, item, "`true` or `false`");
        }
        flag
    }

    pub(super) fn number(&mut self, table: Table<'_>, key: &str, most: u32) -> Option<u32> {
        let item = table.get(key)?;
        let number = item.as_integer().and_then(|number| u32::try_from(number).ok());
        let number = number.filter(|number| *number <= most);
        if number.is_none() {
            self.wrong(table, key, item, &format!("a whole number from 0 to {most}"));
        }
        number
    }

    pub(super) fn texts(&mut self, table: Table<'_>, key: &str) -> Vec<String> {
        let Some(item) = table.get(key) else { return Vec::new() };
        let texts = item.as_array().and_then(|array| {
            array.iter().map(|value| value.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
        });
        if texts.is_none() {
            self.wrong(table, key, item, "a list of texts");
        }
        texts.unwrap_or_default()
    }

    /// A length of time as Go writes it, such as `1m30s`.
    pub(super) fn time(&mut self, table: Table<'_>, key: &str, most: Duration) -> Option<Duration> {
        let item = table.get(key)?;
        let time = item.as_str().and_then(duration).filter(|time| *time <= most);
        if time.is_none() {
            let most = most.as_secs() / 60;
            self.wrong(
                table,
                key,
                item,
                &format!("a time such as `5m`, of at most {most} minutes"),
            );
        }
        time
    }

    pub(super) fn table<'a>(
        &mut self,
        table: Table<'a>,
        key: &'a str,
        prefix: &'a str,
    ) -> Option<Table<'a>> {
        let item = table.get(key)?;
        match item.as_table_like() {
            Some(inner) => Some(Table { table: inner, prefix, at: table.key(self, key) }),
            None => {
                self.wrong(table, key, item, "a table");
                None
            }
        }
    }

    pub(super) fn tables<'a>(
        &mut self,
        table: Table<'a>,
        key: &'a str,
        prefix: &'a str,
    ) -> Vec<Table<'a>> {
        let Some(item) = table.get(key) else { return Vec::new() };
        let at = table.key(self, key);
        if let Some(array) = item.as_array_of_tables() {
            return array.iter().map(|inner| Table { table: inner, prefix, at }).collect();
        }
        let inline = item.as_array().and_then(|array| {
            let inner =
                |value: &'a toml_edit::Value| Some(value.as_inline_table()? as &dyn TableLike);
            array.iter().map(inner).collect::<Option<Vec<_>>>()
        });
        if inline.is_none() {
            self.wrong(table, key, item, "a list of tables");
        }
        let inner = inline.unwrap_or_default().into_iter();
        inner.map(|inner| Table { table: inner, prefix, at }).collect()
    }

    fn wrong(&mut self, table: Table<'_>, key: &str, item: &Item, expected: &str) {
        let at = self.span(item.span().or_else(|| table.key_range(key)));
        let found = match item.type_name() {
            "string" => "a text",
            "integer" => "a whole number",
            "float" => "a fraction",
            "boolean" => "`true` or `false`",
            "datetime" => "a date",
            "array" | "array of tables" => "a list",
            _ => "a table",
        };
        // The kind is right where only the value is not.
        let is_kind =
            expected.starts_with(found) || found == "a text" && expected.contains("such as");
        let not = if is_kind { String::new() } else { format!(", not {found}") };
        let message = format!("`{}{key}` must be {expected}{not}", table.prefix);
        self.problem("wrong-type", message, at);
    }
}

impl<'a> Table<'a> {
    pub(super) fn get(self, key: &str) -> Option<&'a Item> {
        self.table.get(key).filter(|item| !item.is_none())
    }

    pub(super) fn has(self, key: &str) -> bool {
        self.get(key).is_some()
    }

    fn key_range(self, key: &str) -> Option<std::ops::Range<usize>> {
        self.table.get_key_value(key).and_then(|(key, _)| key.span())
    }

    /// The place of a key, or of the table where it has none.
    pub(super) fn key(self, reader: &Reader, key: &str) -> Span {
        match self.key_range(key) {
            Some(range) => reader.span(Some(range)),
            None => self.at,
        }
    }
}

/// A length of time as Go writes it.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let mut total = Duration::ZERO;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let amount: u32 = rest[..digits].parse().ok()?;
        let unit_end = rest[digits..].bytes().take_while(u8::is_ascii_alphabetic).count() + digits;
        let unit = match &rest[digits..unit_end] {
            "ms" => Duration::from_millis(1),
            "s" => Duration::from_secs(1),
            "m" => Duration::from_secs(60),
            "h" => Duration::from_secs(3600),
            _ => return None,
        };
        total = total.checked_add(unit.checked_mul(amount)?)?;
        rest = &rest[unit_end..];
    }
    (!text.is_empty()).then_some(total)
}
