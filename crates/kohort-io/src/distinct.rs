//! The distinct values of an array, numbered in the order in which they first appear.
//!
//! # Method
//! A frame repeats few values in many rows: each row costs one lookup, and each distinct value is made a text
//! once. Numbers within a short range are looked up in a table of that range, all other values by a hash. Values
//! are told apart by their bits, so that two values of one text may have two numbers.

use std::hash::{BuildHasher, Hash, Hasher};

use arrow_array::cast::AsArray;
use arrow_array::{Array, StringViewArray};
use arrow_buffer::{ArrowNativeType, NullBuffer, ScalarBuffer};
use arrow_schema::DataType;
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use kohort_core::alive_at;

/// A value that has no number yet.
const NONE: u32 = u32::MAX;

/// The distinct values of an array, null among them.
#[derive(Debug, Default)]
pub(crate) struct Distinct {
    /// The number of the value of each row.
    pub(crate) numbers: Vec<u32>,
    /// The row where each value first stands.
    pub(crate) firsts: Vec<u32>,
}

impl Distinct {
    /// Those of an array; none where its type has no bits to compare.
    pub(crate) fn of(array: &dyn Array) -> Option<Self> {
        let (nulls, n_rows) = (array.nulls(), array.len());
        match array.data_type() {
            DataType::Dictionary(..) => Self::of(array.as_any_dictionary().keys()),
            DataType::Boolean => {
                let values: Vec<u8> = array.as_boolean().values().iter().map(u8::from).collect();
                Some(Self::of_numbers(&values, nulls, u64::from))
            }
            DataType::Utf8 => {
                let texts = array.as_string::<i32>();
                Some(Self::by_hash(n_rows, nulls, |row| texts.value(row).as_bytes()))
            }
            DataType::LargeUtf8 => {
                let texts = array.as_string::<i64>();
                Some(Self::by_hash(n_rows, nulls, |row| texts.value(row).as_bytes()))
            }
            DataType::Utf8View => {
                let texts = array.as_string_view();
                Some(Self::by_hash(n_rows, nulls, |row| View::of(texts, row)))
            }
            // With the sign bit turned, negative numbers stand before the others.
            other => match other.primitive_width() {
                Some(1) => {
                    Some(Self::of_numbers(&values(array), nulls, |n: u8| u64::from(n ^ 1 << 7)))
                }
                Some(2) => {
                    Some(Self::of_numbers(&values(array), nulls, |n: u16| u64::from(n ^ 1 << 15)))
                }
                Some(4) => {
                    Some(Self::of_numbers(&values(array), nulls, |n: u32| u64::from(n ^ 1 << 31)))
                }
                Some(8) => Some(Self::of_numbers(&values(array), nulls, |n: u64| n ^ 1 << 63)),
                Some(16) => {
                    let values: ScalarBuffer<i128> = values(array);
                    Some(Self::by_hash(n_rows, nulls, |row| values[row]))
                }
                _ => None,
            },
        }
    }

    /// Those of numbers, whose order `bits` keeps or nearly so.
    fn of_numbers<N: Copy>(
        numbers: &[N],
        nulls: Option<&NullBuffer>,
        bits: impl Fn(N) -> u64,
    ) -> Self {
        let widen =
            |(low, high): (u64, u64), number| (bits(number).min(low), bits(number).max(high));
        let all = numbers.iter().copied();
        let (low, high) = match nulls {
            None => all.fold((u64::MAX, 0), widen),
            Some(nulls) => nulls.valid_indices().map(|row| numbers[row]).fold((u64::MAX, 0), widen),
        };
        let range = usize::try_from(high.saturating_sub(low)).unwrap_or(usize::MAX);
        if range > 2 * numbers.len() + 256 {
            return Self::by_hash(numbers.len(), nulls, |row| bits(numbers[row]));
        }
        // The last place is that of null.
        let mut known = vec![NONE; range + 2];
        let mut found = Self::with_capacity(numbers.len());
        for (row, &number) in numbers.iter().enumerate() {
            alive_at(row);
            let is_valid = nulls.is_none_or(|nulls| nulls.is_valid(row));
            let at = if is_valid { (bits(number) - low).as_usize() } else { range + 1 };
            if known[at] == NONE {
                known[at] = found.add(row);
            }
            found.numbers.push(known[at]);
        }
        found
    }

    fn by_hash<V: Eq + Hash>(
        n_rows: usize,
        nulls: Option<&NullBuffer>,
        value: impl Fn(usize) -> V,
    ) -> Self {
        let hasher = FixedState::default();
        let mut known: HashTable<u32> = HashTable::new();
        let (mut found, mut null) = (Self::with_capacity(n_rows), NONE);
        for row in 0..n_rows {
            alive_at(row);
            if nulls.is_some_and(|nulls| nulls.is_null(row)) {
                if null == NONE {
                    null = found.add(row);
                }
                found.numbers.push(null);
                continue;
            }
            let own = value(row);
            let hash = hasher.hash_one(&own);
            let of = |number: u32| value(found.firsts[number as usize] as usize);
            let number = if let Some(&number) = known.find(hash, |&number| of(number) == own) {
                number
            } else {
                known.reserve(1, |&number| hasher.hash_one(of(number)));
                let number = found.add(row);
                known.insert_unique(hash, number, |_| hash);
                number
            };
            found.numbers.push(number);
        }
        found
    }

    fn with_capacity(n_rows: usize) -> Self {
        Self { numbers: Vec::with_capacity(n_rows), firsts: Vec::new() }
    }

    /// The number of a value that first stands in this row.
    fn add(&mut self, row: usize) -> u32 {
        let row_or_number =
            |at: usize| u32::try_from(at).expect("a batch has fewer than 2^32 rows");
        let number = row_or_number(self.firsts.len());
        self.firsts.push(row_or_number(row));
        number
    }
}

/// The values of an array of a primitive type, as numbers of the same width.
fn values<N: ArrowNativeType>(array: &dyn Array) -> ScalarBuffer<N> {
    let data = array.to_data();
    ScalarBuffer::new(data.buffers()[0].clone(), data.offset(), data.len())
}

/// A text of a column of views: a short one is all in its view.
struct View<'a> {
    short: u128,
    long: &'a [u8],
}

impl<'a> View<'a> {
    fn of(texts: &'a StringViewArray, row: usize) -> Self {
        const MAX_SHORT: u128 = 12;
        let view = texts.views()[row];
        if view & u128::from(u32::MAX) <= MAX_SHORT {
            return Self { short: view, long: &[] };
        }
        Self { short: 0, long: texts.value(row).as_bytes() }
    }
}

impl PartialEq for View<'_> {
    fn eq(&self, other: &Self) -> bool {
        // Comparing slices of nothing is slow where the C library masks its loads.
        let is_same_length = self.long.len() == other.long.len();
        let is_short = self.long.is_empty();
        self.short == other.short && is_same_length && (is_short || self.long == other.long)
    }
}

impl Eq for View<'_> {}

impl Hash for View<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        if self.long.is_empty() {
            state.write_u128(self.short);
        } else {
            state.write(self.long);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::Int8Type;
    use arrow_array::{
        ArrayRef, BooleanArray, Decimal128Array, DictionaryArray, Float64Array, Int16Array,
        Int64Array, LargeStringArray, StringArray,
    };

    use super::*;

    /// Whole, and as a slice of a longer array.
    fn check(array: &ArrayRef, numbers: &[u32], firsts: &[u32]) {
        let found = Distinct::of(array).expect("it has bits");
        assert_eq!((&*found.numbers, &*found.firsts), (numbers, firsts), "{array:?}");
        let sliced = Distinct::of(&array.slice(1, array.len() - 1)).expect("it has bits");
        let same = |a: usize, b: usize| numbers[a] == numbers[b];
        for a in 1..array.len() {
            for b in 1..array.len() {
                let is_same = sliced.numbers[a - 1] == sliced.numbers[b - 1];
                assert_eq!(is_same, same(a, b), "rows {a} and {b} of {array:?}");
            }
        }
    }

    #[test]
    fn values_are_numbered_as_they_appear() {
        let expected: (&[u32], &[u32]) = (&[0, 1, 2, 0, 3, 1], &[0, 1, 2, 4]);
        let texts = [Some("b"), None, Some(""), Some("b"), Some("a text of many bytes"), None];
        let far = [Some(i64::MIN), None, Some(i64::MAX), Some(i64::MIN), Some(0), None];
        let near = [Some(-3), None, Some(5), Some(-3), Some(0), None];
        let floats = near.map(|number| number.map(f64::from));
        let keys: DictionaryArray<Int8Type> = texts.into_iter().collect();
        let arrays: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from(texts.to_vec())),
            Arc::new(LargeStringArray::from(texts.to_vec())),
            Arc::new(StringViewArray::from(texts.to_vec())),
            Arc::new(keys),
            Arc::new(Int64Array::from(far.to_vec())),
            Arc::new(Int16Array::from(near.to_vec())),
            Arc::new(Float64Array::from(floats.to_vec())),
            Arc::new(Decimal128Array::from(near.map(|number| number.map(i128::from)).to_vec())),
        ];
        for array in arrays {
            check(&array, expected.0, expected.1);
        }
        let truths = vec![Some(true), None, Some(false), Some(true), None, Some(false)];
        check(&(Arc::new(BooleanArray::from(truths)) as ArrayRef), &[0, 1, 2, 0, 1, 2], &[0, 1, 2]);
    }

    #[test]
    fn long_texts_with_one_beginning_are_different() {
        let texts = ["a very long text 1", "a very long text 2", "a very long text 1"];
        check(&(Arc::new(StringViewArray::from(texts.to_vec())) as ArrayRef), &[0, 1, 0], &[0, 1]);
    }
}
