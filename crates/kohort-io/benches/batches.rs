//! A million rows by nine columns, as a frame has them, in and out of Arrow's record batches.
#![expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::types::Date32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Int8Array, Int16Array, Int64Array, PrimitiveArray, RecordBatch,
    StringViewArray,
};
use kohort_core::Missing;
use kohort_io::{batches_of, table_of_batches};

const N_ROWS: usize = 1_000_000;
const ROUNDS: usize = 9;

fn main() -> Result<(), Box<dyn Error>> {
    let frame = frame()?;
    let schema = frame.schema();
    let read = || {
        let batches = [Ok(frame.clone())];
        table_of_batches("frame", &schema, batches, Missing::default())
    };
    let table = read()?.table;
    println!("in  {:.4} s", best(|| drop(read())).as_secs_f64());
    println!("out {:.4} s", best(|| drop(batches_of(&table, Some(&schema)))).as_secs_f64());
    for (at, field) in schema.fields().iter().enumerate() {
        let (name, part) = (field.name(), frame.project(&[at])?);
        let schema = part.schema();
        let read = || table_of_batches("frame", &schema, [Ok(part.clone())], Missing::default());
        let table = read()?.table;
        let taken = best(|| drop(read())).as_secs_f64();
        let given = best(|| drop(batches_of(&table, Some(&schema)))).as_secs_f64();
        println!("  {name:10} {taken:.4} {given:.4}");
    }
    Ok(())
}

fn best(run: impl Fn()) -> Duration {
    let time = || {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    (0..ROUNDS).map(|_| time()).min().unwrap_or_default()
}

fn frame() -> Result<RecordBatch, Box<dyn Error>> {
    let mut state = 1_u64;
    let mut draw = |n: u64| {
        // A linear congruential generator is random enough to spread values.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % n
    };
    let mut numbers = |n| -> Vec<u64> { (0..N_ROWS).map(|_| draw(n)).collect() };
    let texts = |numbers: Vec<u64>, text: fn(u64) -> String| {
        let values: StringViewArray = numbers.into_iter().map(|n| Some(text(n))).collect();
        Arc::new(values) as ArrayRef
    };
    let small = |n: &u64| i16::try_from(*n).unwrap_or_default();
    let ages: Int16Array = numbers(77).iter().map(small).collect();
    let days = numbers(2_000).into_iter().map(|n| i32::try_from(18_000 + n).ok());
    let children = numbers(6).into_iter().map(|n| i8::try_from(n).ok());
    let costs = numbers(8_990).into_iter().map(|n| i64::try_from(10 + n).ok());
    let columns: [(&str, ArrayRef); 9] = [
        ("age", Arc::new(ages)),
        ("sex", texts(numbers(2), |n| ["f", "m"][usize::from(n == 1)].to_owned())),
        ("zip", texts(numbers(900), |n| format!("{:05}", 7 * n))),
        ("admitted", Arc::new(days.collect::<PrimitiveArray<Date32Type>>())),
        ("children", Arc::new(children.collect::<Int8Array>())),
        ("ward", texts(numbers(20), |n| format!("ward {n}"))),
        ("cost", Arc::new(costs.collect::<Int64Array>())),
        ("disease", texts(numbers(60), |n| format!("disease {n}"))),
        ("smokes", Arc::new(numbers(5).iter().map(|n| Some(*n == 0)).collect::<BooleanArray>())),
    ];
    Ok(RecordBatch::try_from_iter(columns)?)
}
