//! Tables in every format that the program reads and writes, by the formats' own libraries.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_cast::display::array_value_to_string;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Map, Value};

/// Whatever went wrong while a file was read or written.
pub(crate) type Failure = Box<dyn std::error::Error>;

/// The ends of the names of tables.
pub(crate) const FORMATS: [&str; 8] =
    ["csv", "tsv", "csv.gz", "csv.zst", "jsonl", "jsonl.gz", "parquet", "arrow"];

/// A table as texts; a missing cell is the empty text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rows {
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Rows {
    /// The place of a column.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|column| column == name)
    }

    /// The cells of a column, none where there is no such column.
    pub(crate) fn column(&self, name: &str) -> Option<Vec<&str>> {
        let place = self.place(name)?;
        Some(self.rows.iter().map(|row| row[place].as_str()).collect())
    }

    /// Some of the columns, in this order; those that are not there are left out.
    pub(crate) fn only(&self, names: &[&str]) -> Self {
        let places: Vec<usize> = names.iter().filter_map(|name| self.place(name)).collect();
        let take = |row: &Vec<String>| places.iter().map(|&place| row[place].clone()).collect();
        Self { header: take(&self.header), rows: self.rows.iter().map(take).collect() }
    }
}

/// Writes a table in the format of its name; `numbers` are the columns of whole numbers, which formats
/// that know numbers get as numbers where every cell is one.
pub(crate) fn write(path: &Path, table: &Rows, numbers: &[&str]) -> Result<(), Failure> {
    let bytes = match format(path) {
        "parquet" => {
            let batch = batch(table, numbers)?;
            let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None)?;
            writer.write(&batch)?;
            writer.into_inner()?
        }
        "arrow" => {
            let batch = batch(table, numbers)?;
            let mut writer = FileWriter::try_new(Vec::new(), &batch.schema())?;
            writer.write(&batch)?;
            writer.into_inner()?
        }
        "jsonl" => json_lines(table, numbers).into_bytes(),
        format => {
            let separator = if format == "tsv" { b'\t' } else { b',' };
            // Where a reader that guesses could be mistaken, everything is quoted.
            let is_doubtful = |cell: &String| cell.contains(['\'', ',', ';', '\t', '|']);
            let is_plain = !table.rows.iter().chain([&table.header]).flatten().any(is_doubtful);
            let style = if is_plain { csv::QuoteStyle::Necessary } else { csv::QuoteStyle::Always };
            let mut writer = csv::WriterBuilder::new()
                .delimiter(separator)
                .quote_style(style)
                .from_writer(Vec::new());
            writer.write_record(&table.header)?;
            for row in &table.rows {
                writer.write_record(row)?;
            }
            writer.into_inner()?
        }
    };
    std::fs::write(path, compressed(path, bytes)?)?;
    Ok(())
}

/// The format that a name says, without a compression.
fn format(path: &Path) -> &str {
    let name = path.file_name().unwrap_or_default().to_str().unwrap_or_default();
    name.split('.').find(|part| FORMATS.contains(part)).unwrap_or("csv")
}

fn compressed(path: &Path, bytes: Vec<u8>) -> Result<Vec<u8>, Failure> {
    let extension = path.extension().unwrap_or_default();
    if extension == "gz" {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&bytes)?;
        Ok(encoder.finish()?)
    } else if extension == "zst" {
        Ok(zstd::encode_all(bytes.as_slice(), 1)?)
    } else {
        Ok(bytes)
    }
}

/// The bytes of a file, decompressed where its name says so.
pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let bytes = std::fs::read(path)?;
    let extension = path.extension().unwrap_or_default();
    if extension == "gz" {
        let mut all = Vec::new();
        flate2::read::MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut all)?;
        Ok(all)
    } else if extension == "zst" {
        Ok(zstd::decode_all(bytes.as_slice())?)
    } else {
        Ok(bytes)
    }
}

/// Reads a table in the format of its name; text formats as the program itself writes them.
pub(crate) fn read(path: &Path) -> Result<Rows, Failure> {
    let bytes = bytes(path)?;
    match format(path) {
        "parquet" => {
            let file = File::open(path)?;
            let reader = ParquetRecordBatchReaderBuilder::try_new(file)?.build()?;
            from_batches(reader.map(|batch| batch.map_err(Failure::from)))
        }
        "arrow" => {
            let cursor = std::io::Cursor::new(bytes);
            if let Ok(reader) = FileReader::try_new(cursor.clone(), None) {
                from_batches(reader.map(|batch| batch.map_err(Failure::from)))
            } else {
                let reader = StreamReader::try_new(cursor, None)?;
                from_batches(reader.map(|batch| batch.map_err(Failure::from)))
            }
        }
        "jsonl" => from_json_lines(&String::from_utf8(bytes)?),
        format => {
            let separator = if format == "tsv" { b'\t' } else { b',' };
            let mut reader =
                csv::ReaderBuilder::new().delimiter(separator).from_reader(bytes.as_slice());
            let header = reader.headers()?.iter().map(str::to_owned).collect();
            let row = |record: Result<csv::StringRecord, csv::Error>| {
                Ok::<_, csv::Error>(record?.iter().map(without_escape).collect())
            };
            let rows = reader.records().map(row).collect::<Result<Vec<Vec<String>>, _>>()?;
            Ok(Rows { header, rows })
        }
    }
}

/// A cell of CSV without the apostrophe that keeps a spreadsheet from running it.
fn without_escape(cell: &str) -> String {
    let is_escaped =
        cell.starts_with('\'') && cell.trim_start_matches('\'').starts_with(['=', '+', '-', '@']);
    cell[usize::from(is_escaped)..].to_owned()
}

fn batch(table: &Rows, numbers: &[&str]) -> Result<RecordBatch, Failure> {
    let mut fields = Vec::new();
    let mut columns: Vec<ArrayRef> = Vec::new();
    for (place, name) in table.header.iter().enumerate() {
        let cells = || table.rows.iter().map(|row| row[place].as_str());
        let is_whole = cells().all(|cell| cell.is_empty() || whole_number(cell).is_some());
        if is_whole && numbers.contains(&name.as_str()) {
            fields.push(Field::new(name, DataType::Int64, true));
            columns.push(Arc::new(cells().map(whole_number).collect::<Int64Array>()));
        } else {
            let texts: Vec<Option<&str>> =
                cells().map(|cell| (!cell.is_empty()).then_some(cell)).collect();
            fields.push(Field::new(name, DataType::Utf8, true));
            columns.push(Arc::new(StringArray::from(texts)));
        }
    }
    Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?)
}

/// A cell as a whole number, spelled as numbers are; none for a missing one and for other texts.
fn whole_number(cell: &str) -> Option<i64> {
    cell.parse::<i64>().ok().filter(|number| number.to_string() == cell)
}

fn json_lines(table: &Rows, numbers: &[&str]) -> String {
    let mut text = String::new();
    for row in &table.rows {
        let object: Map<String, Value> = (table.header.iter().zip(row))
            .map(|(name, cell)| {
                let value = match whole_number(cell) {
                    _ if cell.is_empty() => Value::Null,
                    Some(number) if numbers.contains(&name.as_str()) => number.into(),
                    _ => cell.as_str().into(),
                };
                (name.clone(), value)
            })
            .collect();
        text += &Value::Object(object).to_string();
        text.push('\n');
    }
    text
}

fn from_json_lines(text: &str) -> Result<Rows, Failure> {
    let mut table = Rows::default();
    let mut objects: Vec<Map<String, Value>> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let object: Map<String, Value> = serde_json::from_str(line)?;
        for name in object.keys() {
            if !table.header.contains(name) {
                table.header.push(name.clone());
            }
        }
        objects.push(object);
    }
    for object in objects {
        let cell = |name: &String| match object.get(name) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        let row = table.header.iter().map(cell).collect();
        table.rows.push(row);
    }
    Ok(table)
}

fn from_batches(
    batches: impl Iterator<Item = Result<RecordBatch, Failure>>,
) -> Result<Rows, Failure> {
    let mut table = Rows::default();
    for batch in batches {
        let batch = batch?;
        table.header = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
        for row in 0..batch.num_rows() {
            let cell = |column: &ArrayRef| {
                if column.is_null(row) {
                    Ok(String::new())
                } else {
                    array_value_to_string(column, row)
                }
            };
            table.rows.push(batch.columns().iter().map(cell).collect::<Result<_, _>>()?);
        }
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_gives_back_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let table = Rows {
            header: row(["a", "b, c", "d"]),
            rows: vec![row(["1", "x\"y", ""]), row(["-2", "ä,\tz", "03"]), row(["3", "'", "*"])],
        };
        for format in FORMATS {
            let path = folder.path().join(format!("t.{format}"));
            write(&path, &table, &["a"]).unwrap();
            assert_eq!(read(&path).unwrap(), table, "{format}");
        }
    }
}
