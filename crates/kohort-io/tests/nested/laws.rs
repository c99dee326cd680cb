//! What is read and written again says the same, whatever the schema.

use kohort_io::NestedFormat;
use proptest::prelude::*;
use serde_json::Value;

use super::{read, written};

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
}
