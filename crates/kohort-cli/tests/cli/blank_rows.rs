//! Suppressed rows that stay in a release.

use serde_json::json;

use crate::anonymize::{ASK, OUTLIER};
use crate::harness::Folder;

#[test]
fn suppressed_rows_that_stay_show_nothing() {
    let text = OUTLIER.to_owned() + "80,888,gout\n70,777,cold\n60,666,flu\n";
    let plan = |suppression: &str| {
        format!(
            "input = \"t.csv\"\n[attributes]\nage = \"quasi\"\nzip = \"quasi\"\n\
             disease = \"sensitive\"\n[goal]\nk-anonymity = 4\ndistinct-l-diversity = 2\n\
             suppression = {suppression}\n"
        )
    };
    let folder =
        Folder::with(&[("t.csv", &text), ("p.toml", &plan("0.4")), ("few.toml", &plan("0.3"))]);
    let ask = format!(
        "{ASK} --k 4 --distinct-l 2 --algorithm optimal --transparent no --suppression 0.4 --suppressed"
    );
    let dropped = folder.json(&format!("{ask} drop -o d.csv"));
    let shown = folder.text("d.csv").unwrap_or_default();
    for format in ["csv", "jsonl", "parquet", "arrow"] {
        let kept = folder.json(&format!("{ask} keep -o r.{format}"));
        assert_eq!((&kept["suppressed"], &kept["rows_out"]), (&json!(4), &json!(12)), "{format}");
        for figure in ["verified", "metrics", "classes", "class_sizes", "goal"] {
            assert_eq!(kept[figure], dropped[figure], "{figure}");
        }
        let judged = folder.json(&format!("verify r.{format} --plan p.toml --original t.csv"));
        assert_eq!((&judged["verified"], &judged["blank"]), (&json!(true), &json!(4)), "{judged}");
    }
    // The rows of the release without them, in another order, and four rows of `*`.
    let release = folder.text("r.csv").unwrap_or_default();
    let sorted = |text: &str| -> Vec<String> {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    assert_eq!(sorted(&release), sorted(&format!("{shown}{}", "*,*,*\n".repeat(4))));
    // Nobody is picked out by a row that shows nothing.
    let attacked = folder.run("attack r.csv --plan p.toml --original t.csv --only prosecutor");
    assert!(attacked.stderr.contains("4 rows show `*` in every column"), "{attacked}");
    assert!(attacked.stdout.contains("no attack refutes a promise"), "{attacked}");
    // One more than may be suppressed, and they are a class of which nothing is known.
    assert_eq!(folder.run("verify r.csv --plan few.toml --original t.csv").code, 1);
}
