//! The nearest known name, for "did you mean".

/// The candidate most similar to `name`, if any is similar enough to be a likely slip.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| {
            let lower = candidate.to_lowercase();
            let score = strsim::jaro_winkler(&name, &lower);
            (if lower.starts_with(&name) { score.max(0.9) } else { score }, candidate)
        })
        .filter(|(score, _)| *score >= 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        let names = ["age", "zip", "disease"];
        assert_eq!(nearest("desease", names), Some("disease"));
        assert_eq!(nearest("AGE", names), Some("age"));
        assert_eq!(nearest("quarterly", names), None);
    }
}
