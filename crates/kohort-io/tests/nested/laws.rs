//! What is read and written again says the same, whatever the schema.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use kohort_core::Nested;
use kohort_io::{NestedFormat, NestedOptions, write_nested};
use proptest::prelude::*;
use quick_xml::XmlVersion;
use quick_xml::events::Event;
use serde_json::Value;

use super::{read, try_read, written};

fn name() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-d]", 1 => r#"[a-b.\[\]\\ é"@#]{1,3}"#]
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i16>().prop_map(Value::from),
        any::<i16>().prop_map(|n| Value::from(f64::from(n) / 8.0)),
        "[ -~é\n\t\u{1f600}]{0,4}".prop_map(Value::from),
        "[0-3]".prop_map(Value::from),
    ]
}

fn object(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    let is_named = |(name, _): &(String, Value)| !name.trim().is_empty();
    prop::collection::vec((name(), value).prop_filter("a name", is_named), 0..4)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(4, 20, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            object(inner)
        ]
    })
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// An element: its name, attributes, text and children.
#[derive(Clone, Debug, PartialEq)]
struct Element {
    name: String,
    attributes: BTreeMap<String, String>,
    text: String,
    children: Vec<Element>,
}

impl Element {
    /// The element with its children in the order of their names: those of one name keep theirs.
    fn sorted(mut self) -> Self {
        self.children = self.children.into_iter().map(Self::sorted).collect();
        self.children.sort_by(|a, b| a.name.cmp(&b.name));
        self
    }

    fn print(&self, pretty: bool, out: &mut String) {
        // Beside a text, spaces are part of it.
        let space = if pretty && self.text.is_empty() { "\n " } else { "" };
        write!(out, "<{}", self.name).unwrap();
        for (key, value) in &self.attributes {
            write!(out, " {key}='{}'", references(value)).unwrap();
        }
        write!(out, ">{}", references(&self.text)).unwrap();
        for child in &self.children {
            *out += space;
            child.print(pretty, out);
        }
        if !self.children.is_empty() {
            *out += space;
        }
        write!(out, "</{}>", self.name).unwrap();
    }
}

/// Every character that is more than a letter as a reference.
fn references(text: &str) -> String {
    let character = |c: char| match c {
        c if c.is_alphanumeric() => c.to_string(),
        c => format!("&#{};", u32::from(c)),
    };
    text.chars().map(character).collect()
}

/// The root element of what was written, in which spaces between tags do not occur but around records.
fn parse(text: &str) -> Element {
    let mut reader = quick_xml::Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let empty = |name: &str| Element {
        name: name.to_owned(),
        attributes: BTreeMap::new(),
        text: String::new(),
        children: Vec::new(),
    };
    let mut open = vec![empty("")];
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) => {
                let mut element = empty(start.name().into_inner());
                for attribute in start.attributes() {
                    let attribute = attribute.unwrap();
                    let value = attribute.normalized_value(XmlVersion::Implicit1_0).unwrap();
                    let key = attribute.key.into_inner().to_owned();
                    element.attributes.insert(key, value.into_owned());
                }
                open.push(element);
            }
            Event::End(_) => {
                let element = open.pop().unwrap();
                open.last_mut().unwrap().children.push(element);
            }
            Event::Text(text) if open.len() > 2 => open.last_mut().unwrap().text += &text,
            Event::GeneralRef(reference) => {
                let named = quick_xml::escape::resolve_predefined_entity(&reference);
                let text = named.map_or_else(
                    || reference.resolve_char_ref().unwrap().unwrap().to_string(),
                    str::to_owned,
                );
                open.last_mut().unwrap().text += &text;
            }
            Event::Eof => return open.pop().unwrap().children.pop().unwrap(),
            _ => {}
        }
    }
}

/// The paths of all branches and columns.
fn paths(nested: &Nested) -> BTreeSet<(&str, &str)> {
    let mut paths = BTreeSet::new();
    for branch in nested.branches() {
        paths.insert((branch.path(), ""));
        let columns = branch.table().columns().iter();
        paths.extend(columns.map(|column| (branch.path(), column.name())));
    }
    paths
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "[a-c&<>'\" \r\n\té]{0,4}", "[0-3]", " {1,2}"]
}

fn element() -> impl Strategy<Value = Element> {
    let attributes = || prop::collection::btree_map("[a-b.]{1,2}", text(), 0..3);
    let is_named =
        |attributes: &BTreeMap<String, String>| attributes.keys().all(|key| !key.starts_with('.'));
    let attributes = move || attributes().prop_filter("names", is_named);
    let leaf = ("[a-d]", attributes(), text()).prop_map(|(name, attributes, text)| Element {
        name,
        attributes,
        text,
        children: Vec::new(),
    });
    leaf.prop_recursive(4, 20, 4, move |inner| {
        let children = prop::collection::vec(inner, 0..4);
        ("[a-d]", attributes(), text(), children).prop_map(|(name, attributes, text, children)| {
            Element { name, attributes, text, children }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn json_says_the_same(records in prop::collection::vec(object(value()), 1..8), pretty: bool) {
        let records = Value::Array(records);
        let text = if pretty { format!("{records:#}") } else { records.to_string() };
        let nested = read("p.json", &text).nested;
        prop_assert_eq!(json(&written(&nested, NestedFormat::Json(None))), records.clone());
        let lines = written(&nested, NestedFormat::JsonLines(None));
        let again = read("p.jsonl", &lines).nested;
        prop_assert_eq!(json(&written(&again, NestedFormat::Json(None))), records);
    }

    #[test]
    fn xml_says_the_same(records in prop::collection::vec(element(), 1..8), pretty: bool) {
        let named = |mut record: Element| {
            record.name = "p".to_owned();
            record
        };
        let root = Element {
            name: "r".to_owned(),
            attributes: BTreeMap::new(),
            text: String::new(),
            children: records.into_iter().map(named).collect(),
        };
        let mut text = String::new();
        root.print(pretty, &mut text);
        let nested = read("p.xml", &text).nested;
        let out = written(&nested, NestedFormat::Xml(None));
        prop_assert_eq!(parse(&out).sorted(), root.sorted());
        // What is a column and what is a branch does not depend on the order of elements.
        let again = read("p.xml", &out).nested;
        prop_assert_eq!(paths(&again), paths(&nested));
    }

    #[test]
    fn damage_is_refused_or_read_but_never_a_panic(
        records in prop::collection::vec(object(value()), 1..4),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut: prop::sample::Index,
        name in prop_oneof![Just("p.json"), Just("p.jsonl"), Just("p.xml")],
    ) {
        let source = read("p.json", &Value::Array(records).to_string()).nested;
        // What XML cannot hold is no text to damage.
        let format = NestedFormat::of(Path::new(name)).unwrap();
        let mut bytes = Vec::new();
        prop_assume!(write_nested(&source, format, &mut bytes).is_ok());
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(cut.index(bytes.len() * 4) + 1);
        if let Ok(read) = try_read(name, &bytes, &NestedOptions::default()) {
            // What is read can be written and read again.
            let mut again = Vec::new();
            write_nested(&read.nested, format, &mut again).unwrap();
            let again = try_read(name, &again, &NestedOptions::default()).unwrap().nested;
            prop_assert_eq!(paths(&again), paths(&read.nested));
        }
    }
}
