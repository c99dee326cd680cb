//! `kohort list`, `kohort schema`, and the program's own arguments.

use insta::assert_snapshot;
use serde_json::Value;

use crate::harness::Folder;

#[test]
fn models_are_listed_with_their_promise() {
    let output = Folder::new().run("list models");
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    assert!(output.stdout.starts_with("k-anonymity (Sweeney 2002)\n  nobody can be narrowed down"));
}

#[test]
fn models_say_whether_they_are_monotone() {
    let models = Folder::new().json("list models");
    for model in models.as_array().into_iter().flatten() {
        let begins = match model["id"].as_str() {
            Some("personalized-privacy" | "epsilon-m-anonymity" | "population-uniqueness") => {
                "not monotone"
            }
            Some("pm-privacy") => "for nested records: `[[rules]]`",
            _ if model["facts"].as_str().is_some_and(|facts| facts.contains("`[series]`")) => {
                "for series of releases"
            }
            _ => "monotone",
        };
        assert!(model["facts"].as_str().is_some_and(|facts| facts.starts_with(begins)), "{model}");
    }
}

#[test]
fn models_are_listed_by_id_in_json() {
    let models = Folder::new().json("list models");
    let ids: Vec<&str> =
        models.as_array().into_iter().flatten().filter_map(|m| m["id"].as_str()).collect();
    assert_snapshot!(ids.join("\n"), @r"
    k-anonymity
    distinct-l-diversity
    frequency-l-diversity
    entropy-l-diversity
    recursive-cl-diversity
    alpha-k-anonymity
    p-sensitive-k-anonymity
    l-pdiversity
    l-mdiversity
    lkc-privacy
    sensitivity-classes
    personalized-privacy
    ke-anonymity
    epsilon-m-anonymity
    t-closeness
    basic-beta-likeness
    enhanced-beta-likeness
    delta-disclosure-privacy
    delta-presence
    k-map
    average-risk
    sample-uniqueness
    population-uniqueness
    pm-privacy
    m-invariance
    rho-different
    e-equivalence
    bcf-anonymity
    xy-anonymity
    xy-linkability
    global-guarantee
    ");
}

#[test]
fn every_id_is_listed_once() {
    for what in ["models", "algorithms", "methods", "metrics", "attacks"] {
        let listed = Folder::new().json(&format!("list {what}"));
        let mut ids: Vec<&str> = listed
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|item| item["id"].as_str())
            .collect();
        let n_listed = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), n_listed, "{what}");
        let text = Folder::new().run(&format!("list {what}")).stdout;
        for id in ids {
            let heads = text.lines().filter(|line| line.starts_with(&format!("{id} (")));
            assert_eq!(heads.count(), 1, "{what}: {id}");
        }
    }
    let metrics = Folder::new().json("list metrics");
    let both: Vec<&Value> = metrics
        .as_array()
        .into_iter()
        .flatten()
        .filter(|item| item["nested"].is_object())
        .collect();
    assert_eq!(both.iter().map(|item| &item["id"]).collect::<Vec<_>>(), ["lm", "kl"]);
    assert_eq!(both[0]["nested"]["facts"], "for nested records");
}

// Private notes are no source that a reader could look up.
#[test]
fn papers_are_cited_by_author() {
    for what in ["models", "algorithms", "methods", "metrics", "attacks"] {
        let listed = Folder::new().json(&format!("list {what}"));
        for item in listed.as_array().into_iter().flatten() {
            let paper = item["paper"].as_str().unwrap_or_default();
            let is_private =
                ["specs", "document", "00"].iter().any(|start| paper.starts_with(start));
            assert!(!is_private && !paper.is_empty(), "{item}");
        }
    }
}

#[test]
fn attacks_are_listed_with_the_risk_they_measure() {
    let listed = Folder::new().json("list attacks");
    let items = listed.as_array().expect("it is a list");
    assert!(items.len() >= 4);
    let risks = ["singling out", "linkability", "inference"];
    assert!(items.iter().all(|item| {
        let facts = item["facts"].as_str().unwrap_or_default();
        risks.iter().any(|risk| facts.starts_with(risk))
    }));
    assert_snapshot!(Folder::new().run("list attacks").stdout.lines().take(3).collect::<Vec<_>>().join("\n"), @r"
    prosecutor (El Emam and Dankar 2008)
      the record of a person who is known to be in the table is picked out
      singling out
    ");
}

#[test]
fn algorithms_say_what_they_do_not_keep() {
    let text = Folder::new().run("list algorithms").stdout;
    assert!(text.starts_with("auto (kohort)\n  the smallest loss"), "{text}");
    let about = |id: &str| {
        let about = text.split_once(&format!("\n{id} (")).map(|(_, about)| about);
        about.and_then(|about| about.lines().nth(2)).unwrap_or_default().to_owned()
    };
    assert!(about("mdav").starts_with("  not truthful: "));
    assert!(about("sensitive-split").starts_with("  unsafe: "));
    assert!(about("k-member").starts_with("  quadratic: "));
}

/// What a plan's `[method]` takes for some algorithms only, one of these lists.
#[test]
fn algorithms_list_every_parameter_that_a_plan_takes() {
    let of_all = [
        "algorithm",
        "metric",
        "seed",
        "budget",
        "numeric",
        "bounds",
        "form",
        "transparent",
        "allow-unsafe",
    ];
    let listed = Folder::new().json("list algorithms");
    let parameters: Vec<&str> = (listed.as_array().into_iter().flatten())
        .flat_map(|item| item["parameters"].as_array().into_iter().flatten())
        .filter_map(|parameter| parameter["name"].as_str())
        .collect();
    let schema = Folder::new().run("schema").json();
    let fields = schema["$defs"]["Method"]["properties"].as_object().expect("it has fields");
    for field in fields.keys().filter(|field| !of_all.contains(&field.as_str())) {
        assert!(parameters.contains(&field.as_str()), "no algorithm lists `{field}`");
    }
}

#[test]
fn metrics_are_listed_with_what_they_mean() {
    let text = Folder::new().run("list metrics").stdout;
    assert!(text.starts_with("ncp (Xu et al. 2006)\n  the average share of its column"), "{text}");
}

#[test]
fn the_schema_names_every_field_of_a_generated_plan() {
    let folder = Folder::new();
    let schema = folder.run("schema").json();
    assert_eq!(folder.run("demo --data hospital --rows 10 -o t.csv").code, 0);
    let plan = folder.text("plan.toml").unwrap_or_default();
    let known = |part: &Value, field: &str| part["properties"].get(field).is_some();
    assert!(known(&schema, "input"));
    let mut part = &schema;
    for line in plan.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            assert!(known(&schema, name), "{name}");
            let reference = schema["properties"][name]["$ref"].as_str().unwrap_or_default();
            part = &schema["$defs"][reference.trim_start_matches("#/$defs/")];
        } else if let Some((field, _)) = line.split_once(" = ")
            && part.get("properties").is_some()
        {
            assert!(known(part, field), "{field}");
        }
    }
}

#[test]
fn the_schema_allows_no_other_field() {
    let schema = Folder::new().run("schema").json();
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["$defs"]["Goal"]["additionalProperties"], false);
}

#[test]
fn no_command_shows_the_help_and_fails() {
    let output = Folder::new().run("");
    assert_eq!((output.code, output.stdout.as_str()), (2, ""));
    assert!(output.stderr.contains("Usage: kohort"), "{output}");
}

#[test]
fn an_unknown_command_is_refused_with_the_nearest() {
    assert_snapshot!(Folder::new().run("diagnos t.csv"), @r"
    exit 2
    --- stderr
    error: unrecognized subcommand 'diagnos'

      tip: a similar subcommand exists: 'diagnose'

    Usage: kohort [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
}

#[test]
fn help_and_version_go_to_standard_output() {
    for words in ["--help", "--version", "diagnose --help", "inspect -h"] {
        let output = Folder::new().run(words);
        assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{words}");
        assert!(!output.stdout.is_empty());
    }
}

#[test]
fn no_threads_are_refused() {
    assert_snapshot!(Folder::new().refused("list models --threads 0"), @r"
    error: `threads` must be at least 1, but is 0

    hint: leave it out to use all cores
    ");
}

#[test]
fn help_ends_with_examples_that_run() {
    let folder = Folder::new();
    assert_eq!(folder.run("demo --data hospital --rows 60 -o patients.csv").code, 0);
    let mut n_examples = 0;
    for words in ["--help", "-h", "diagnose --help", "diagnose -h"] {
        let help = folder.run(words).stdout;
        let (_, examples) = help.split_once("Examples:\n").expect("there are examples");
        let commands = examples.lines().filter_map(|line| line.strip_prefix("    kohort "));
        for command in commands.filter(|command| !command.starts_with("inspect")) {
            let output = folder.run(&command.replace('\'', ""));
            assert!(output.code < 2, "{command}\n{output}");
            n_examples += 1;
        }
    }
    assert_eq!(n_examples, 16);
}
