//! How the values of flags are read, with a message for each that is none.

use kohort::Ratio;

pub(super) fn separator(text: &str) -> Result<char, String> {
    match text {
        "tab" | "\\t" => Ok('\t'),
        _ => text.parse().map_err(|_| "expected one character, or `tab`".into()),
    }
}

pub(super) fn yes_or_no(text: &str) -> Result<bool, String> {
    match text {
        "yes" | "true" => Ok(true),
        "no" | "false" => Ok(false),
        _ => Err("expected `yes` or `no`".into()),
    }
}

pub(super) fn data(text: &str) -> Result<kohort::demo::Data, String> {
    kohort::demo::Data::from_id(text)
        .ok_or_else(|| "expected `hospital`, `census`, `poll`, `students` or `patients`".into())
}

pub(super) fn issues(text: &str) -> Result<u32, String> {
    let most = kohort::demo::MOST_ISSUES;
    let issues = text.parse().ok().filter(|issues| (1..=most).contains(issues));
    issues.ok_or_else(|| format!("expected a number from 1 to {most}"))
}

pub(super) fn depth(text: &str) -> Result<u32, String> {
    let depths = kohort::demo::Data::DEPTHS;
    let depth = text.parse().ok().filter(|depth| depths.contains(depth));
    depth.ok_or_else(|| format!("expected a number from {} to {}", depths.start(), depths.end()))
}

pub(super) fn dialect(text: &str) -> Result<kohort::sql::Dialect, String> {
    kohort::sql::Dialect::from_id(text)
        .ok_or_else(|| "expected `postgres`, `datafusion`, `sqlite`, `duckdb` or `spark`".into())
}

pub(super) fn recursive(text: &str) -> Result<(Ratio, u64), String> {
    let expected = || "expected c and l, such as `3,2`".to_owned();
    let (c, l) = text.split_once(',').ok_or_else(expected)?;
    let c = c.trim().parse().map_err(|_| expected())?;
    Ok((c, l.trim().parse().map_err(|_| expected())?))
}

/// A time as it stands in a plan.
pub(super) fn duration_text(text: &str) -> Result<String, String> {
    kohort::plan::duration(text).map(|_| text.to_owned())
}

/// A whole number; the standard library speaks of digits in strings.
pub(super) fn whole<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.trim().parse().map_err(|_| "expected a whole number".into())
}

/// A share of the whole: `0.02`, `2%` or `1/50`.
pub(super) fn share(text: &str) -> Result<Ratio, String> {
    let expected = "expected a share such as 0.02, 2% or 1/50";
    let percent = text.trim().strip_suffix('%');
    let number = percent.unwrap_or(text).trim();
    let found = Ratio::share(text).map_err(|_| expected)?;
    let is_likely_percent = Ratio::whole(1) < found && found <= Ratio::whole(100);
    if percent.is_none() && is_likely_percent && !number.contains('/') {
        return Err(format!("a share is at most 1; did you mean {number}%?"));
    }
    if found > Ratio::whole(1) {
        return Err("a share is at most 1, which is 100%".into());
    }
    Ok(found)
}

/// The texts between commas, without the spaces around them; `\,` is a comma of a text.
pub(crate) fn list(text: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut rest = text;
    while let Some(at) = rest.find(',') {
        let (before, after) = (&rest[..at], &rest[at + 1..]);
        let item = items.last_mut().expect("there is always a last item");
        if let Some(before) = before.strip_suffix('\\') {
            item.push_str(before);
            item.push(',');
        } else {
            item.push_str(before);
            items.push(String::new());
        }
        rest = after;
    }
    items.last_mut().expect("there is always a last item").push_str(rest);
    items.iter().map(|item| item.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_as_parts_and_as_percentages() {
        for text in ["0.02", "2%", "2 %", " 2% ", "1/50", ".02"] {
            assert_eq!(share(text), Ok(Ratio::new(1, 50)), "{text}");
        }
        assert_eq!(share("100%"), Ok(Ratio::whole(1)));
        assert_eq!(share("0.5%"), Ok(Ratio::new(1, 200)));
        let refused = |text| share(text).unwrap_err();
        assert_eq!(refused("2"), "a share is at most 1; did you mean 2%?");
        assert_eq!(refused("1.5"), "a share is at most 1; did you mean 1.5%?");
        for text in ["101%", "3/2", "250"] {
            assert_eq!(refused(text), "a share is at most 1, which is 100%", "{text}");
        }
        for text in ["", "%", "-2%", "two", "2%%"] {
            assert_eq!(refused(text), "expected a share such as 0.02, 2% or 1/50", "{text}");
        }
    }

    #[test]
    fn lists_are_split_at_commas_that_are_not_escaped() {
        assert_eq!(list("a, b ,c"), ["a", "b", "c"]);
        assert_eq!(list(r"name\, first,sex"), ["name, first", "sex"]);
        assert_eq!(list(r"a\"), [r"a\"]);
        assert_eq!(list("a,,b"), ["a", "", "b"]);
        assert_eq!(list(""), [""]);
    }
}
