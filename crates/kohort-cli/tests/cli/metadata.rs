//! What a Parquet or Arrow file says beside its table.

use arrow_array::RecordBatch;
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::FileWriter;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::metadata::KeyValue;

use crate::anonymize::{ASK, outlier};

#[test]
fn a_release_that_says_something_beside_its_table_is_rejected() {
    let folder = outlier();
    let ask = format!("{ASK} --k 4 --suppression 0.2");
    let plan = folder.run(&format!("{ask} --print-plan")).stdout;
    folder.put("p.toml", plan);
    for format in ["parquet", "arrow"] {
        let made = folder.json(&format!("{ask} -o r.{format}"));
        assert_eq!(made["verified"], true, "{made}");
        let verify = format!("verify r.{format} --plan p.toml --original t.csv");
        assert_eq!(folder.json(&verify)["verified"], true);
        // The same table, in a file that names the people.
        let path = folder.path(&format!("r.{format}"));
        with_metadata(&path, format == "parquet");
        let judged = folder.json(&verify);
        assert_eq!(judged["verified"], false);
        let text = folder.run(&verify).stdout;
        assert!(text.contains("FAILS: the file has metadata in addition to its table"), "{text}");
        assert!(text.contains("`names`") && !text.contains("Ann"), "{text}");
    }
}

/// Writes a table again, with metadata.
#[expect(clippy::disallowed_methods, reason = "a test changes what was written")]
fn with_metadata(path: &std::path::Path, is_parquet: bool) {
    let batches: Vec<RecordBatch> = if is_parquet {
        let file = std::fs::File::open(path).expect("it was written");
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("it is Parquet");
        reader.build().expect("it is Parquet").map(|batch| batch.expect("it is whole")).collect()
    } else {
        let file = std::fs::File::open(path).expect("it was written");
        let reader = FileReader::try_new(file, None).expect("it is Arrow");
        reader.map(|batch| batch.expect("it is whole")).collect()
    };
    let file = std::fs::File::create(path).expect("it is ours");
    let schema = batches[0].schema();
    if is_parquet {
        let mut writer = ArrowWriter::try_new(file, schema, None).expect("it can be written");
        for batch in &batches {
            writer.write(batch).expect("it can be written");
        }
        let pair = KeyValue::new("names".to_owned(), "Ann, Bob".to_owned());
        writer.append_key_value_metadata(pair);
        writer.close().expect("it can be written");
    } else {
        let mut writer = FileWriter::try_new(file, &schema).expect("it can be written");
        writer.write_metadata("names", "Ann, Bob");
        for batch in &batches {
            writer.write(batch).expect("it can be written");
        }
        writer.finish().expect("it can be written");
    }
}
