//! Texts for people: hints and notes whose settings each surface words in its own way.
//!
//! The same hint reads ``allow as much with `--suppression 2%` `` on the command line,
//! ``… `suppression = "2%"` `` in Rust, where a plan says it, and ``… `suppression=0.02` `` in Python. A
//! [`Message`] has the setting as a value. [`message!`](crate::message) writes one like `format!`, and
//! [`Surface::speak`] says who reads.
//!
//! ```
//! use kohort_core::{Setting, Surface, message};
//!
//! let hint = message!("allow as much with {}", Setting::Suppression.to("2%"));
//! assert_eq!(hint.to_string(), "allow as much with `suppression = \"2%\"`");
//! assert_eq!(hint.on(Surface::CommandLine), "allow as much with `--suppression 2%`");
//! assert_eq!(hint.on(Surface::Python), "allow as much with `suppression=0.02`");
//! assert!(hint.names(Setting::Suppression));
//! ```

use std::cell::RefCell;
use std::fmt::{self, Debug, Display, Formatter};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::setting::{Command, Setting, ValueForm};

/// Who reads a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Surface {
    /// Somebody who gives commands with flags.
    CommandLine,
    /// Somebody who calls the library, and writes plans.
    #[default]
    Rust,
    /// Somebody who calls the Python package.
    Python,
}

/// What this thread does with a setting that it writes.
enum Voice {
    /// It words it for this surface.
    For(Surface),
    /// It keeps it, and leaves a mark in its place: a message is being made.
    Keep(Vec<Ask>),
}

thread_local! {
    static VOICE: RefCell<Voice> = const { RefCell::new(Voice::For(Surface::Rust)) };
}

/// Puts a voice back when what it was changed for has ended, also where that unwinds.
struct Restore(Option<Voice>);

impl Restore {
    fn after(voice: Voice) -> Self {
        Self(Some(VOICE.replace(voice)))
    }

    /// Puts the voice back and gives the one of the meantime.
    fn end(mut self) -> Option<Voice> {
        self.0.take().map(|before| VOICE.replace(before))
    }
}

impl Drop for Restore {
    fn drop(&mut self) {
        if let Some(before) = self.0.take() {
            VOICE.set(before);
        }
    }
}

impl Surface {
    /// Runs what is read on this surface: every message that this thread displays or serializes meanwhile is in
    /// its words.
    pub fn speak<T>(self, run: impl FnOnce() -> T) -> T {
        let _restore = Restore::after(Voice::For(self));
        run()
    }

    /// The surface that this thread speaks on.
    pub fn current() -> Self {
        VOICE.with_borrow(|voice| match voice {
            Voice::For(surface) => *surface,
            Voice::Keep(_) => Self::default(),
        })
    }
}

/// Settings and commands in a text: what to give together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ask {
    command: Option<(Command, String)>,
    settings: Vec<(Setting, Option<String>)>,
    names_plan: bool,
}

impl From<Setting> for Ask {
    fn from(setting: Setting) -> Self {
        Self { settings: vec![(setting, None)], ..Self::default() }
    }
}

impl From<Command> for Ask {
    fn from(command: Command) -> Self {
        Self { command: Some((command, String::new())), ..Self::default() }
    }
}

impl Setting {
    /// This setting with a value.
    pub fn to(self, value: impl Display) -> Ask {
        Ask { settings: vec![(self, Some(value.to_string()))], ..Ask::default() }
    }

    /// This setting, and on the command line the line of the plan that says the same.
    pub fn or_in_plan(self) -> Ask {
        Ask::from(self).or_in_plan()
    }
}

impl Command {
    /// This command with what follows it, such as `DATA`.
    pub fn on(self, operands: impl Display) -> Ask {
        Ask { command: Some((self, operands.to_string())), ..Ask::default() }
    }
}

impl Ask {
    /// This and that.
    #[must_use]
    pub fn and(mut self, other: impl Into<Self>) -> Self {
        let other = other.into();
        self.command = self.command.or(other.command);
        self.settings.extend(other.settings);
        self
    }

    /// This, and on the command line the line of the plan that says the same.
    #[must_use]
    pub fn or_in_plan(self) -> Self {
        Self { names_plan: true, ..self }
    }

    /// What to type on the command line.
    pub fn line(&self) -> String {
        let mut words = Vec::new();
        if let Some((command, operands)) = &self.command {
            words.push(format!("kohort {}", command.line()));
            words.extend((!operands.is_empty()).then(|| operands.clone()));
        }
        for (setting, value) in &self.settings {
            let is_output = *setting == Setting::Output;
            words.push(if is_output { "-o".to_owned() } else { format!("--{}", setting.name()) });
            words.extend(value.as_deref().map(shell_word));
        }
        words.join(" ")
    }

    fn on(&self, surface: Surface) -> String {
        match (surface, &self.command) {
            (Surface::CommandLine, _) if self.names_plan => {
                format!("`{}`, or {}", self.line(), self.planned())
            }
            (Surface::CommandLine, _) => format!("`{}`", self.line()),
            (Surface::Rust, Some((command, _))) => format!("`{}`", command.rust()),
            (Surface::Python, Some((command, _))) => format!("`{}`", command.python()),
            (Surface::Rust, None) => self.planned(),
            (Surface::Python, None) => format!("`{}`", self.arguments()),
        }
    }

    /// The arguments of a call in Python; those of a series are the items of one.
    fn arguments(&self) -> String {
        let (of_series, others): (Vec<_>, Vec<_>) =
            self.settings.iter().partition(|(setting, _)| is_of_series(*setting));
        let own = others.iter().map(|(setting, value)| in_python(*setting, value.as_deref()));
        let items = of_series.iter().map(|(setting, value)| item(*setting, value.as_deref()));
        let items = items.collect::<Vec<_>>().join(", ");
        let series = (!items.is_empty()).then(|| format!("series={{{items}}}"));
        own.chain(series).collect::<Vec<_>>().join(", ")
    }

    /// The lines of a plan, and where they stand if that is to be said.
    fn planned(&self) -> String {
        let all =
            self.settings.iter().flat_map(|(setting, value)| in_plan(*setting, value.as_deref()));
        let mut text = all.map(|line| format!("`{line}`")).collect::<Vec<_>>().join(" and ");
        if self.names_plan {
            match self.settings.first().and_then(|(setting, _)| setting.in_plan()) {
                Some(("", _)) | None => text.push_str(" in the plan"),
                Some((table, _)) => text.extend([" in the plan's `[", table, "]`"]),
            }
        }
        text
    }
}

impl Display for Ask {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        VOICE.with_borrow_mut(|voice| match voice {
            Voice::For(surface) => f.write_str(&self.on(*surface)),
            Voice::Keep(kept) => {
                kept.push(self.clone());
                write!(f, "{MARK}{}{MARK}", kept.len() - 1)
            }
        })
    }
}

impl Display for Setting {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(&Ask::from(*self), f)
    }
}

impl Display for Command {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(&Ask::from(*self), f)
    }
}

/// The lines of a plan that give a setting this value; a field of the library's where plans do not have it.
fn in_plan(setting: Setting, value: Option<&str>) -> Vec<String> {
    let Some((_, key)) = setting.in_plan() else {
        let name = setting.name().replace('-', "_");
        return vec![given(&name, setting.form(), value, str::to_owned)];
    };
    match (setting.form(), value) {
        (ValueForm::Role, Some(columns)) => {
            columns.split(',').map(|column| format!("{} = \"{key}\"", toml_key(column))).collect()
        }
        (ValueForm::OfColumn, Some(value)) => {
            let (column, value) = value.split_once('=').unwrap_or(("COLUMN", value));
            vec![format!("{}.{key} = {value:?}", toml_key(column))]
        }
        (form, value) => vec![given(key, form, value, |share| format!("{share:?}"))],
    }
}

/// A setting as `name = value`, in the notation that TOML and Rust share.
fn given(
    name: &str,
    form: ValueForm,
    value: Option<&str>,
    share: impl Fn(&str) -> String,
) -> String {
    let value = match (form, value) {
        (ValueForm::Switch, _) => "true".to_owned(),
        (_, None) => return name.to_owned(),
        (ValueForm::YesNo, Some(value)) => (value == "yes").to_string(),
        (ValueForm::Number, Some(value)) => value.to_owned(),
        (ValueForm::Share, Some(value)) => share(value),
        (ValueForm::Words | ValueForm::Role, Some(value)) => listed(value),
        (ValueForm::Word | ValueForm::OfColumn, Some(value)) => format!("{value:?}"),
    };
    format!("{name} = {value}")
}

fn is_of_series(setting: Setting) -> bool {
    setting.in_plan().is_some_and(|(table, _)| table == "series")
}

/// A setting of a series as an item of a dict in Python.
fn item(setting: Setting, value: Option<&str>) -> String {
    let key = setting.in_plan().map_or("", |(_, key)| key).replace('-', "_");
    match (value, setting.form()) {
        (None, _) => format!("{key:?}: …"),
        (Some(value), ValueForm::Number | ValueForm::Share) => format!("{key:?}: {value}"),
        (Some(value), _) => format!("{key:?}: {value:?}"),
    }
}

/// A setting as an argument of a call in Python.
fn in_python(setting: Setting, value: Option<&str>) -> String {
    let name = setting.python();
    let is_call = name.ends_with(')') || name.contains('.');
    let value = match (setting.form(), value) {
        _ if is_call => return name,
        (ValueForm::Switch, _) => "True".to_owned(),
        (_, None) => return name,
        (ValueForm::YesNo, Some(value)) => if value == "yes" { "True" } else { "False" }.to_owned(),
        (ValueForm::Number, Some(value)) => value.to_owned(),
        (ValueForm::Share, Some(value)) => {
            let percent =
                value.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
            percent.map_or(value.to_owned(), |percent| (percent / 100.0).to_string())
        }
        (ValueForm::Words | ValueForm::Role, Some(value)) => listed(value),
        (ValueForm::OfColumn, Some(value)) => {
            let (column, value) = value.split_once('=').unwrap_or(("COLUMN", value));
            format!("{{{column:?}: {value:?}}}")
        }
        (ValueForm::Word, Some(value)) => format!("{value:?}"),
    };
    format!("{name}={value}")
}

/// A list in the notation that TOML and Python share: numbers as they are.
fn listed(values: &str) -> String {
    let all = values.split(',').map(|value| match value.parse::<f64>() {
        Ok(_) => value.to_owned(),
        Err(_) => format!("{value:?}"),
    });
    format!("[{}]", all.collect::<Vec<_>>().join(", "))
}

/// The name of a column as a key of TOML.
fn toml_key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(is_bare) {
        name.to_owned()
    } else {
        format!("{name:?}")
    }
}

/// A word that a shell takes as one.
fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-=.,/%".contains(c);
    if text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// Stands around the number of a setting while a message is made; no name has it.
const MARK: char = '\0';

#[derive(Clone)]
enum Piece {
    Words(String),
    Ask(Ask),
}

/// A text for a person, in which settings and commands are values. It is displayed, and serialized as a
/// string, in the words of the surface that the thread speaks on.
///
/// Two messages are equal that read alike.
#[derive(Clone, Default)]
pub struct Message(Vec<Piece>);

/// Writes a [`Message`] like `format!`: settings, commands and messages among the arguments stay values.
#[macro_export]
macro_rules! message {
    ($($argument:tt)*) => {
        $crate::Message::written(|| ::std::format!($($argument)*))
    };
}

impl Message {
    /// What [`message!`](crate::message) makes of what `write` writes.
    #[doc(hidden)]
    pub fn written(write: impl FnOnce() -> String) -> Self {
        let restore = Restore::after(Voice::Keep(Vec::new()));
        let text = write();
        match restore.end() {
            Some(Voice::Keep(kept)) => Self::marked(&text, &kept),
            _ => Self::from(text),
        }
    }

    fn marked(text: &str, kept: &[Ask]) -> Self {
        let mut pieces = Vec::new();
        let mut words = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(MARK) {
            words.push_str(before);
            rest = after;
            let number =
                after.split_once(MARK).map(|(number, after)| (number.parse::<usize>(), after));
            if let Some((Ok(number), after)) = number
                && let Some(ask) = kept.get(number)
            {
                pieces.push(Piece::Words(std::mem::take(&mut words)));
                pieces.push(Piece::Ask(ask.clone()));
                rest = after;
            } else {
                words.push(MARK);
            }
        }
        words.push_str(rest);
        pieces.push(Piece::Words(words));
        Self(pieces)
    }

    /// The text in the words of a surface.
    pub fn on(&self, surface: Surface) -> String {
        surface.speak(|| self.to_string())
    }

    /// Whether it names this setting.
    pub fn names(&self, setting: Setting) -> bool {
        let asks = self.0.iter().filter_map(|piece| match piece {
            Piece::Ask(ask) => Some(ask),
            Piece::Words(_) => None,
        });
        asks.flat_map(|ask| &ask.settings).any(|(named, _)| *named == setting)
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        let is_empty = |piece: &Piece| matches!(piece, Piece::Words(words) if words.is_empty());
        self.0.iter().all(is_empty)
    }

    /// Whether it says this, in the words of the surface that the thread speaks on.
    pub fn contains(&self, text: &str) -> bool {
        self.to_string().contains(text)
    }

    /// Whether it begins like this, in the words of the surface that the thread speaks on.
    pub fn starts_with(&self, text: &str) -> bool {
        self.to_string().starts_with(text)
    }
}

impl Display for Message {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|piece| match piece {
            Piece::Words(words) => f.write_str(words),
            Piece::Ask(ask) => Display::fmt(ask, f),
        })
    }
}

impl Debug for Message {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

impl PartialEq for Message {
    fn eq(&self, other: &Self) -> bool {
        self.on(Surface::Rust) == other.on(Surface::Rust)
    }
}

impl Eq for Message {}

impl PartialEq<str> for Message {
    fn eq(&self, other: &str) -> bool {
        let words = self.to_string();
        words == other
    }
}

impl PartialEq<&str> for Message {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl PartialEq<String> for Message {
    fn eq(&self, other: &String) -> bool {
        self == other.as_str()
    }
}

impl From<&str> for Message {
    fn from(words: &str) -> Self {
        words.to_owned().into()
    }
}

impl From<String> for Message {
    fn from(words: String) -> Self {
        Self(vec![Piece::Words(words)])
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worded(ask: impl Into<Ask>) -> [String; 3] {
        let ask = ask.into();
        [Surface::CommandLine, Surface::Rust, Surface::Python].map(|surface| ask.on(surface))
    }

    #[test]
    fn every_form_of_value_has_its_words_on_every_surface() {
        let check = |ask: Ask, line: &str, rust: &str, python: &str| {
            assert_eq!(worded(ask), [line, rust, python]);
        };
        check(
            Setting::Suppression.to("2%"),
            "`--suppression 2%`",
            "`suppression = \"2%\"`",
            "`suppression=0.02`",
        );
        check(Setting::K.to(5), "`--k 5`", "`k-anonymity = 5`", "`k=5`");
        check(
            Setting::AllowUnsafe.into(),
            "`--allow-unsafe`",
            "`allow-unsafe = true`",
            "`allow_unsafe=True`",
        );
        check(Setting::Header.to("no"), "`--header no`", "`header = false`", "`header=False`");
        check(
            Setting::Metric.to("ncp"),
            "`--metric ncp`",
            "`metric = \"ncp\"`",
            "`metric=\"ncp\"`",
        );
        check(
            Setting::Missing.to("*"),
            "`--missing '*'`",
            "`missing = [\"*\"]`",
            "`missing=[\"*\"]`",
        );
        check(Setting::Ls.to("2,3"), "`--l 2,3`", "`l = [2, 3]`", "`ls=[2, 3]`");
        check(
            Setting::Quasi.to("age,first name"),
            "`--quasi 'age,first name'`",
            "`age = \"quasi\"` and `\"first name\" = \"quasi\"`",
            "`quasi=[\"age\", \"first name\"]`",
        );
        check(
            Setting::Type.to("age=text"),
            "`--type age=text`",
            "`age.type = \"text\"`",
            "`types={\"age\": \"text\"}`",
        );
        check(Setting::MaxSize.to(3), "`--max-size 3`", "`max_size = 3`", "`max_size=3`");
        check(Setting::Output.into(), "`-o`", "`release`", "`output`");
        check(
            Setting::Identifier.to("name"),
            "`--identifier name`",
            "`name = \"identifier\"`",
            "`identifiers=[\"name\"]`",
        );
        check(Setting::Format.to("json"), "`--format json`", "`format = \"json\"`", "`to_json()`");
        check(
            Setting::Method.to("e-equivalence"),
            "`--method e-equivalence`",
            "`method = \"e-equivalence\"`",
            "`series={\"method\": \"e-equivalence\"}`",
        );
    }

    #[test]
    fn what_is_given_together_and_commands_have_their_words() {
        let check = |ask: Ask, line: &str, rust: &str, python: &str| {
            assert_eq!(worded(ask), [line, rust, python]);
        };
        check(
            Setting::SeriesL.to(3).and(Setting::Horizon.to(4)).or_in_plan(),
            "`--l 3 --horizon 4`, or `l = 3` and `horizon = 4` in the plan's `[series]`",
            "`l = 3` and `horizon = 4` in the plan's `[series]`",
            "`series={\"l\": 3, \"horizon\": 4}`",
        );
        check(
            Setting::Key.to("id").or_in_plan(),
            "`--key id`, or `key = \"id\"` in the plan",
            "`key = \"id\"` in the plan",
            "`key=\"id\"`",
        );
        check(
            Command::Inspect.on("DATA").and(Setting::Plan.to("plan.toml")),
            "`kohort inspect DATA --plan plan.toml`",
            "`kohort::inspect`",
            "`kohort.inspect`",
        );
    }

    #[test]
    fn a_message_keeps_its_settings_through_other_messages() {
        let inner = message!("say {}", Setting::Header.to("no"));
        let outer = message!("{name}: {inner}, or {}", Setting::Quote, name = "t.csv");
        assert_eq!(outer.to_string(), "t.csv: say `header = false`, or `quote`");
        assert_eq!(outer.on(Surface::CommandLine), "t.csv: say `--header no`, or `--quote`");
        assert!(outer.names(Setting::Header) && !outer.names(Setting::Encoding));
        assert_eq!(outer, Message::from("t.csv: say `header = false`, or `quote`"));
    }

    #[test]
    fn what_names_have_in_them_is_no_setting() {
        let name = "a\u{0}0\u{0}b\u{0}7";
        assert_eq!(message!("{name}").to_string(), name);
    }

    #[test]
    fn a_voice_ends_with_what_it_was_for() {
        let unwound = std::panic::catch_unwind(|| {
            Surface::Python.speak(|| std::panic::resume_unwind(Box::new(())));
        });
        assert!(unwound.is_err());
        assert_eq!(Setting::Force.to_string(), "`force = true`");
        assert_eq!(Surface::Python.speak(|| Setting::Force.to_string()), "`force=True`");
    }
}
