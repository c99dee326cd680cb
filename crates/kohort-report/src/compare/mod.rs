//! What a comparison found: the answer, its text and its sheet.

mod answer;
mod dimension;
mod predicted;
mod sheet;
mod text;
mod undefined;

pub use self::answer::{
    Best, Cell, Choice, Comparison, Crossing, Curve, Guess, Interval, Level, Point, Release,
};
pub use self::dimension::Dimension;
pub(crate) use self::predicted::Predicted;
pub use self::sheet::sheet;
pub use self::text::text;
pub(crate) use self::text::yes_or_no;
pub(crate) use self::undefined::undefined;

/// The utilities of the balance, from 0 to 1, with what they tell.
pub const UTILITIES: [(&str, &str); 8] = [
    ("ncp", "1 − NCP: the share of information that cells keep"),
    (
        "queries",
        "1 − AvRE: how accurate counting queries are, 0 where the error is as large as the count",
    ),
    ("naive-bayes", "U' of naive Bayes: the share of what can be learned from the original"),
    ("stump", "U' of a decision stump"),
    ("cart", "U' of a decision tree"),
    ("logistic", "U' of logistic regression"),
    (
        "pmse",
        "1 − pMSE over the largest possible: how hard it is to tell rows of the release from \
         those of the original",
    ),
    ("correlations", "1 − the mean difference of the correlations of columns"),
];

/// The risks of the balance, from 0 to 1, with what they tell.
pub const RISKS: [(&str, &str); 4] = [
    ("prosecutor-max", "the risk of the most exposed row: one over the smallest class"),
    ("prosecutor-mean", "the mean risk of a row: classes per row"),
    (
        "attribute-max",
        "how much the most distinctive class helps an adversary guess a sensitive value",
    ),
    (
        "attribute-mean",
        "how much the classes help an adversary guess a sensitive value, on average",
    ),
];

/// The utilities that are learners.
const LEARNERS: [&str; 4] = ["naive-bayes", "stump", "cart", "logistic"];
