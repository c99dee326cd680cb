//! Extremes of ratios over the classes, as exact fractions.

use super::Dialect;
use super::classes::Classes;

/// The extreme of a ratio over the classes of each set, exactly: its numerator and denominator.
pub(super) struct Extreme<'a> {
    /// `MIN` or `MAX`.
    pub(super) of: &'a str,
    pub(super) num: &'a str,
    pub(super) den: &'a str,
    /// What the figure is called; its parts end in `_num` and `_den`.
    pub(super) name: String,
}

impl Extreme<'_> {
    fn ratio(&self, dialect: Dialect) -> String {
        format!("{} / NULLIF({}, 0)", dialect.real(self.num), self.den)
    }

    /// What a class is compared with, as a column of `level`.
    fn window(&self, classes: &Classes) -> String {
        let (of, ratio, whole) = (self.of, self.ratio(classes.dialect), classes.partition(None));
        format!("{of}({ratio}) OVER ({whole}) AS {}_best", self.name)
    }

    /// The figures, NULL where `only_if` does not hold for a set. Classes with the same ratio have multiples of
    /// the same two numbers, so that the largest of each are of one class.
    pub(super) fn figures(&self, dialect: Dialect, only_if: Option<&str>) -> [String; 3] {
        let Self { of, num, den, name } = self;
        let ratio = self.ratio(dialect);
        let part = |part: &str| format!("MAX(CASE WHEN {ratio} = {name}_best THEN {part} END)");
        let guarded = |value: String| match only_if {
            Some(condition) => format!("CASE WHEN {condition} THEN {value} END"),
            None => value,
        };
        [
            format!("{} AS {name}", guarded(format!("{of}({ratio})"))),
            format!("{} AS {name}_num", guarded(part(num))),
            format!("{} AS {name}_den", guarded(part(den))),
        ]
    }
}

/// `level`: the classes with what their ratios are compared with.
pub(super) fn with_extremes(
    classes: &Classes,
    class: &str,
    columns: &str,
    extremes: &[Extreme<'_>],
) -> String {
    let windows: Vec<String> = extremes.iter().map(|extreme| extreme.window(classes)).collect();
    format!(
        "{class},\nlevel AS (\n  SELECT {}{columns},\n    {}\n  FROM class)",
        classes.flags(),
        windows.join(",\n    ")
    )
}
