//! The pages of `docs/reference` are made from what the program says of itself: its help, the JSON Schema of
//! plans, and its registries. `UPDATE=1 cargo test -p kohort-cli --test book` writes them.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::Value;

use crate::{kohort, root, text};

fn run(words: &[&str]) -> String {
    let output = kohort().args(words).output().expect("the program runs");
    assert!(output.status.success(), "{words:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Compares a page with what it has to be, or writes it.
fn check(name: &str, title: &str, about: &str, body: &str) {
    let path = format!("docs/reference/{name}.md");
    let source = "Generated from the program: `UPDATE=1 cargo test -p kohort-cli --test book reference` writes this page.";
    let page = format!("# {title}\n\n<!-- {source} -->\n\n{about}\n\n{}\n", body.trim_end());
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(root().join(&path), &page).expect("the page can be written");
    }
    assert!(
        text(&path) == page,
        "{path} is stale: run `UPDATE=1 cargo test -p kohort-cli --test book`"
    );
}

/// The commands that a help text lists.
fn subcommands(help: &str) -> Vec<String> {
    let listed = help.split_once("Commands:\n").map_or("", |(_, rest)| rest);
    let names = listed.lines().take_while(|line| !line.is_empty()).filter_map(|line| {
        let name = line.strip_prefix("  ").filter(|line| !line.starts_with(' '))?;
        name.split_whitespace().next().map(str::to_owned)
    });
    names.filter(|name| name != "help").collect()
}

/// A help text without the flags that every command has.
fn own_help(help: &str) -> String {
    let Some((before, flags)) = help.split_once("\nCommon flags:\n") else {
        return help.to_owned();
    };
    let after = flags.lines().skip_while(|line| line.is_empty() || line.starts_with(' '));
    let after: Vec<&str> = after.collect();
    format!("{before}\n{}", after.join("\n"))
}

fn command(out: &mut String, words: &[&str]) {
    let help = run(&[&["help"], words].concat());
    let own = if words.is_empty() { help.clone() } else { own_help(&help) };
    let own = own.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    let _ = writeln!(out, "## kohort {}\n\n```text\n{}\n```\n", words.join(" "), own.trim_end());
    for name in subcommands(&help) {
        command(out, &[words, &[&name]].concat());
    }
}

#[test]
fn commands_are_those_of_the_help() {
    let mut body = String::new();
    command(&mut body, &[]);
    let about = "Every command as `kohort help COMMAND` shows it. The common flags, shown first, go with \
        every command. Exit status: 0 done, 1 the answer is no, 2 could not do it.";
    check("commands", "Commands", about, &body);
}

/// The items of a registry, a section each.
fn registry(what: &str) -> String {
    let listed: Value =
        serde_json::from_str(&run(&["list", what, "--format", "json"])).expect("JSON");
    let mut out = String::new();
    for item in listed.as_array().expect("a list") {
        section(&mut out, item);
    }
    out
}

fn section(out: &mut String, item: &Value) {
    let field = |item: &Value, name: &str| item[name].as_str().unwrap_or_default().to_owned();
    let _ = writeln!(out, "## {}\n", field(item, "id"));
    let _ = writeln!(
        out,
        "{} ({}): {}.",
        field(item, "title"),
        field(item, "paper"),
        field(item, "promise")
    );
    for fact in field(item, "facts").split("; ").filter(|fact| !fact.is_empty()) {
        let _ = writeln!(out, "- {fact}");
    }
    if item["nested"].is_object() {
        let nested = &item["nested"];
        let (facts, paper) = (field(nested, "facts"), field(nested, "paper"));
        let _ = writeln!(out, "- {facts} ({paper}): {}", field(nested, "promise"));
    }
    out.push('\n');
    let parameters = item["parameters"].as_array().map_or(&[][..], Vec::as_slice);
    if !parameters.is_empty() {
        out.push_str("| parameter | values | meaning |\n|---|---|---|\n");
        for parameter in parameters {
            let [name, range, doc] = ["name", "range", "doc"].map(|name| field(parameter, name));
            let _ = writeln!(out, "| `{name}` | {range} | {doc} |");
        }
        out.push('\n');
    }
}

#[test]
fn registries_are_those_of_the_lists() {
    let about = "What a plan can promise, as `kohort list models` shows it. \
        [Privacy models](../concepts/models.md) explains each with an example.";
    check("models", "Models", about, &registry("models"));
    let about = "How a release can be made, as `kohort list algorithms` shows it: `[method] algorithm` in a \
        plan, or `--algorithm`. Parameters are fields of `[method]` and flags of the same name.";
    check("algorithms", "Algorithms", about, &registry("algorithms"));
    let about = "How the next release of a series can be made, as `kohort list methods` shows it: \
        `[series] method` in a plan, or `--method`. [Series](../concepts/series.md) says which is for what.";
    check("series-methods", "Methods for series", about, &registry("methods"));
    let about = "What is measured of a release, as `kohort list metrics` shows it. \
        [Metrics and utility](../concepts/metrics.md) says how to read them.";
    check("metrics", "Metrics", about, &registry("metrics"));
    let about = "What `kohort attack` tries, as `kohort list attacks` shows it. \
        [Attacks](../concepts/attacks.md) says what each one needs.";
    check("attacks", "Attacks", about, &registry("attacks"));
}

/// The JSON Schema of plans as Markdown.
struct Schema {
    whole: Value,
    /// Definitions that have a section, in the order in which they are first named.
    named: Vec<String>,
    seen: BTreeSet<String>,
}

impl Schema {
    fn definition(&self, reference: &str) -> (String, Value) {
        let name = reference.trim_start_matches("#/$defs/").to_owned();
        let found = self.whole["$defs"][&name].clone();
        (name, found)
    }

    /// What a field may be, in a cell of a table.
    fn value(&mut self, part: &Value) -> String {
        if let Some(reference) = part["$ref"].as_str() {
            return self.reference(reference);
        }
        if let Some(constant) = part["const"].as_str() {
            return format!("`\"{constant}\"`");
        }
        for either in ["anyOf", "oneOf"] {
            if let Some(parts) = part[either].as_array() {
                let mut told: Vec<String> = Vec::new();
                for part in parts.iter().filter(|part| part["type"] != "null") {
                    let value = self.value(part);
                    if !told.contains(&value) {
                        told.push(value);
                    }
                }
                return told.join(" or ");
            }
        }
        let kinds: Vec<&str> = match &part["type"] {
            Value::String(kind) => vec![kind],
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let kinds: Vec<String> = kinds
            .into_iter()
            .filter(|kind| *kind != "null")
            .map(|kind| self.kind(kind, part))
            .collect();
        kinds.join(" or ")
    }

    fn kind(&mut self, kind: &str, part: &Value) -> String {
        match kind {
            "array" => format!("list of {}", self.value(&part["items"])),
            "object" if part["properties"].is_object() => {
                let fields = part["properties"].as_object().into_iter().flatten();
                let fields: Vec<String> = fields.map(|(name, _)| format!("`{name}`")).collect();
                format!("table of {}", fields.join(", "))
            }
            "object" => format!("table of {}", self.value(&part["additionalProperties"])),
            "string" => "text".to_owned(),
            "boolean" => "true or false".to_owned(),
            "integer" => format!("whole number{}", bounds(part)),
            other => format!("{other}{}", bounds(part)),
        }
    }

    /// A definition by a link to its section, or in place where it is only a list of alternatives.
    fn reference(&mut self, reference: &str) -> String {
        let (name, found) = self.definition(reference);
        if name.starts_with("OneOrMore") {
            return self.value(&found);
        }
        if self.seen.insert(name.clone()) {
            self.named.push(name.clone());
        }
        format!("[{name}](#{})", name.to_lowercase())
    }

    fn fields(&mut self, out: &mut String, part: &Value) {
        let required: Vec<&str> =
            part["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        out.push_str("| field | value | meaning |\n|---|---|---|\n");
        for (name, field) in part["properties"].as_object().into_iter().flatten() {
            let needed = if required.contains(&name.as_str()) { " Required." } else { "" };
            let value = self.value(field);
            let _ = writeln!(out, "| `{name}` | {value} | {}{needed} |", described(field));
        }
        out.push('\n');
    }

    fn section(&mut self, out: &mut String, name: &str) {
        let part = self.whole["$defs"][name].clone();
        let _ = writeln!(out, "## {name}\n\n{}\n", described(&part));
        if part["properties"].is_object() {
            return self.fields(out, &part);
        }
        let alternatives = ["oneOf", "anyOf"].iter().find_map(|either| part[*either].as_array());
        match alternatives {
            Some(parts) => {
                for part in parts.iter().filter(|part| part["type"] != "null") {
                    let (value, about) = (self.value(part), described(part));
                    let stop = if about.is_empty() { "" } else { ": " };
                    let _ = writeln!(out, "- {value}{stop}{about}");
                    if part["properties"].is_object() {
                        out.push('\n');
                        self.fields(out, part);
                    }
                }
                out.push('\n');
            }
            None => {
                let _ = writeln!(out, "{}\n", self.value(&part));
            }
        }
    }
}

fn described(part: &Value) -> String {
    part["description"].as_str().unwrap_or_default().replace('\n', " ")
}

/// The bounds of a number, as they are read.
fn bounds(part: &Value) -> String {
    let named = [
        ("minimum", "at least"),
        ("exclusiveMinimum", "above"),
        ("maximum", "at most"),
        ("exclusiveMaximum", "below"),
    ];
    let told: Vec<String> = (named.iter())
        .filter(|(key, _)| part[*key].is_number() && !(*key == "minimum" && part[*key] == 0))
        .map(|(key, words)| format!("{words} {}", part[*key]))
        .collect();
    if told.is_empty() { String::new() } else { format!(" {}", told.join(", ")) }
}

#[test]
fn the_plan_is_that_of_the_schema() {
    let schema: Value = serde_json::from_str(&run(&["schema"])).expect("JSON");
    let file = schema.clone();
    let mut pages = Schema { whole: schema, named: Vec::new(), seen: BTreeSet::new() };
    let mut body = "## The file\n\n".to_owned();
    pages.fields(&mut body, &file);
    let mut done = 0;
    while done < pages.named.len() {
        let name = pages.named[done].clone();
        pages.section(&mut body, &name);
        done += 1;
    }
    let about = "A plan is a TOML file. This page has every field of the schema that `kohort schema` prints; \
        give that to your editor for completion. Every field has a flag, and `--print-plan` prints the plan \
        that flags amount to. The [guide](../guide/plan.md) shows a whole plan.";
    check("plan", "The plan file", about, &body);
}

/// The first author and the year of "Li, Tao and Xiao 2008, table 2"; nothing where no paper is cited.
fn author_and_year(paper: &str) -> Option<(&str, &str)> {
    let is_year = |word: &str| word.len() == 4 && word.starts_with(['1', '2']);
    let year = paper.split([' ', ',', ';']).find(|word| is_year(word))?;
    let (before, _) = paper.split_once(year)?;
    let before = before.trim_start_matches("after ");
    let ends = [",", " and ", " et al."].iter().filter_map(|end| before.find(end));
    Some((before[..ends.min().unwrap_or(before.len())].trim(), year))
}

#[test]
fn every_paper_that_the_program_cites_is_among_the_sources() {
    let sources = text("docs/sources.md");
    let mut n_papers = 0;
    for what in ["models", "algorithms", "methods", "metrics", "attacks"] {
        let listed: Value =
            serde_json::from_str(&run(&["list", what, "--format", "json"])).expect("JSON");
        for item in listed.as_array().expect("a list") {
            let Some((author, year)) = author_and_year(item["paper"].as_str().unwrap_or_default())
            else {
                continue;
            };
            let is_source =
                |line: &str| line.starts_with(&format!("- {author}")) && line.contains(year);
            assert!(sources.lines().any(is_source), "{author} {year} of {}", item["id"]);
            n_papers += 1;
        }
    }
    assert!(n_papers >= 80, "{n_papers}");
}
