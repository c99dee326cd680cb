//! The texts of perturbed values: of other rows, or of numbers that no row has.

use kohort_algorithms::Perturbed;
use kohort_core::{Attribute, Cell, Codes, Column, Dictionary, Table, ValueType, Values};

use super::center::spelled_day;
use super::render::text_of;

/// A quasi-identifier as a perturbed release shows it.
pub(super) fn column(table: &Table, attribute: &Attribute, perturbed: &Perturbed) -> Column {
    let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
    let mut intern = |text: &str| {
        dictionary.intern(text.as_bytes(), 1).expect("texts of a table are texts of a release")
    };
    match perturbed {
        Perturbed::Codes(shown) => {
            // A value that no row shows must not stand in the dictionary of the release.
            let mut entries: Vec<Option<u32>> = vec![None; attribute.n_codes() as usize];
            shown.for_each(|code| {
                let entry = entries[code as usize]
                    .get_or_insert_with(|| intern(&text_of(table, attribute, Cell::Leaf(code))));
                codes.push(*entry);
            });
        }
        Perturbed::Numbers(numbers) => {
            let n_decimals = n_decimals(attribute.values());
            for &number in numbers {
                codes.push(intern(&spelled(number, attribute.value_type(), n_decimals)));
            }
        }
    }
    Column::new(attribute.name().to_owned(), dictionary, codes, table.missing())
}

/// The most decimals of any value: noise shows no more digits than the column has.
fn n_decimals(values: &Values) -> usize {
    let Values::Decimal(values) = values else { return 0 };
    let decimals = |value: &f64| value.to_string().split_once('.').map_or(0, |(_, d)| d.len());
    values.iter().map(decimals).max().unwrap_or(0)
}

/// A number with this many decimals, or a day; nothing where it is missing.
fn spelled(number: f64, value_type: ValueType, n_decimals: usize) -> String {
    if number.is_nan() {
        return String::new();
    }
    if value_type == ValueType::Date {
        return spelled_day(number);
    }
    let text = format!("{number:.n_decimals$}");
    match text.strip_prefix('-') {
        Some(zero) if zero.bytes().all(|byte| b"0.".contains(&byte)) => zero.to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use kohort_core::{Domain, Missing, Role};

    use super::*;

    /// The texts of a column of these texts that shows something else.
    fn check(texts: &[&str], perturbed: &Perturbed, expected: &[&str]) {
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        for (line, text) in (2..).zip(texts) {
            codes.push(dictionary.intern(text.as_bytes(), line).unwrap());
        }
        let original = Column::new("c".into(), dictionary, codes, &Missing::default());
        let table = Table::new("t".into(), vec![original], true, Missing::default());
        let domain = Domain::new(&table, &table.columns()[0], None, &|_| false).unwrap();
        let attribute = Attribute::new(&table, "c", Role::Quasi, domain, None).unwrap();
        let column = column(&table, &attribute, perturbed);
        let shown: Vec<&str> =
            column.codes().iter().map(|entry| column.dictionary().get(entry)).collect();
        assert_eq!(shown, expected);
        assert!(column.dictionary().iter().all(|text| expected.contains(&text)));
    }

    #[test]
    fn numbers_have_the_digits_of_their_column_and_dates_are_days() {
        let numbers = |numbers: &[f64]| Perturbed::Numbers(numbers.to_vec());
        check(&["20", "NA", "-3"], &numbers(&[22.0, f64::NAN, -4.0]), &["22", "", "-4"]);
        check(
            &["1.5", "2.25", "3"],
            &numbers(&[1.456, -0.001, 1e9]),
            &["1.46", "0.00", "1000000000.00"],
        );
        let day = 86_400_000_000.0;
        check(&["1970-01-01", ""], &numbers(&[-day, f64::NAN]), &["1969-12-31", ""]);
    }

    #[test]
    fn values_are_spelled_as_in_the_table_and_only_those_shown() {
        let mut codes = Codes::default();
        for code in [2, 0, 0] {
            codes.push(code);
        }
        check(&["a", "NA", "b"], &Perturbed::Codes(codes), &["", "a", "a"]);
    }
}
