//! PostgreSQL's binary COPY as record batches: a signature, then for each row the number of its fields, and for
//! each field its length and its bytes, all in network order. A length of -1 is `NULL`.

use std::io::{self, BufRead, Read as _};
use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Date32Builder, Float32Builder, Float64Builder, Int16Builder, Int32Builder,
    Int64Builder, StringBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, SchemaRef, TimeUnit};

use crate::{Error, Kind};

const SIGNATURE: &[u8; 11] = b"PGCOPY\n\xff\r\n\0";
const BATCH: usize = 8192;

/// From 1970-01-01, where Arrow counts from, to 2000-01-01, where PostgreSQL does.
const EPOCH_DAYS: i32 = 10_957;
const EPOCH_MICROSECONDS: i64 = EPOCH_DAYS as i64 * 86_400_000_000;

/// How a column is sent, and what it becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    Bool,
    Int16,
    Int32,
    Int64,
    Float32,
    Float64,
    Date,
    Timestamp,
    TimestampWithZone,
    Text,
    Uuid,
}

impl Sent {
    pub(crate) fn data_type(self) -> DataType {
        let micros =
            |zone: Option<&str>| DataType::Timestamp(TimeUnit::Microsecond, zone.map(Into::into));
        match self {
            Self::Bool => DataType::Boolean,
            Self::Int16 => DataType::Int16,
            Self::Int32 => DataType::Int32,
            Self::Int64 => DataType::Int64,
            Self::Float32 => DataType::Float32,
            Self::Float64 => DataType::Float64,
            Self::Date => DataType::Date32,
            Self::Timestamp => micros(None),
            Self::TimestampWithZone => micros(Some("+00:00")),
            Self::Text | Self::Uuid => DataType::Utf8,
        }
    }
}

/// A column of a batch while it comes.
enum Builder {
    Bool(BooleanBuilder),
    Int16(Int16Builder),
    Int32(Int32Builder),
    Int64(Int64Builder),
    Float32(Float32Builder),
    Float64(Float64Builder),
    Date(Date32Builder),
    Timestamp(TimestampMicrosecondBuilder),
    Text(StringBuilder),
    Uuid(StringBuilder),
}

/// What is wrong with a field.
enum Fault {
    /// It does not have the bytes of its type.
    Malformed,
    Infinite,
    NotText,
}

impl Builder {
    fn new(sent: Sent) -> Self {
        match sent {
            Sent::Bool => Self::Bool(BooleanBuilder::new()),
            Sent::Int16 => Self::Int16(Int16Builder::new()),
            Sent::Int32 => Self::Int32(Int32Builder::new()),
            Sent::Int64 => Self::Int64(Int64Builder::new()),
            Sent::Float32 => Self::Float32(Float32Builder::new()),
            Sent::Float64 => Self::Float64(Float64Builder::new()),
            Sent::Date => Self::Date(Date32Builder::new()),
            Sent::Timestamp => Self::Timestamp(TimestampMicrosecondBuilder::new()),
            Sent::TimestampWithZone => {
                Self::Timestamp(TimestampMicrosecondBuilder::new().with_timezone("+00:00"))
            }
            Sent::Text => Self::Text(StringBuilder::new()),
            Sent::Uuid => Self::Uuid(StringBuilder::new()),
        }
    }

    fn push_null(&mut self) {
        match self {
            Self::Bool(column) => column.append_null(),
            Self::Int16(column) => column.append_null(),
            Self::Int32(column) => column.append_null(),
            Self::Int64(column) => column.append_null(),
            Self::Float32(column) => column.append_null(),
            Self::Float64(column) => column.append_null(),
            Self::Date(column) => column.append_null(),
            Self::Timestamp(column) => column.append_null(),
            Self::Text(column) | Self::Uuid(column) => column.append_null(),
        }
    }

    fn push(&mut self, field: &[u8]) -> Result<(), Fault> {
        match self {
            Self::Bool(column) => column.append_value(exactly::<1>(field)?[0] != 0),
            Self::Int16(column) => column.append_value(i16::from_be_bytes(exactly(field)?)),
            Self::Int32(column) => column.append_value(i32::from_be_bytes(exactly(field)?)),
            Self::Int64(column) => column.append_value(i64::from_be_bytes(exactly(field)?)),
            Self::Float32(column) => column.append_value(f32::from_be_bytes(exactly(field)?)),
            Self::Float64(column) => column.append_value(f64::from_be_bytes(exactly(field)?)),
            Self::Date(column) => {
                let days = i32::from_be_bytes(exactly(field)?);
                if matches!(days, i32::MIN | i32::MAX) {
                    return Err(Fault::Infinite);
                }
                column.append_value(days.checked_add(EPOCH_DAYS).ok_or(Fault::Malformed)?);
            }
            Self::Timestamp(column) => {
                let micros = i64::from_be_bytes(exactly(field)?);
                if matches!(micros, i64::MIN | i64::MAX) {
                    return Err(Fault::Infinite);
                }
                column
                    .append_value(micros.checked_add(EPOCH_MICROSECONDS).ok_or(Fault::Malformed)?);
            }
            Self::Text(column) => {
                column.append_value(str::from_utf8(field).map_err(|_| Fault::NotText)?);
            }
            Self::Uuid(column) => {
                let number = u128::from_be_bytes(exactly(field)?);
                let hex = format!("{number:032x}");
                let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
                column.append_value(parts.join("-"));
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Bool(column) => Arc::new(column.finish()),
            Self::Int16(column) => Arc::new(column.finish()),
            Self::Int32(column) => Arc::new(column.finish()),
            Self::Int64(column) => Arc::new(column.finish()),
            Self::Float32(column) => Arc::new(column.finish()),
            Self::Float64(column) => Arc::new(column.finish()),
            Self::Date(column) => Arc::new(column.finish()),
            Self::Timestamp(column) => Arc::new(column.finish()),
            Self::Text(column) | Self::Uuid(column) => Arc::new(column.finish()),
        }
    }
}

fn exactly<const N: usize>(field: &[u8]) -> Result<[u8; N], Fault> {
    field.try_into().map_err(|_| Fault::Malformed)
}

/// The batches of a COPY.
pub(crate) struct Batches<'a, R> {
    reader: R,
    address: String,
    schema: SchemaRef,
    builders: Vec<Builder>,
    field: Vec<u8>,
    n_rows: u64,
    n_bytes: u64,
    is_done: bool,
    /// What an error of the connection is.
    failed: &'a dyn Fn(io::Error) -> Error,
    /// Why there are no more batches, where something is wrong.
    pub(crate) fault: Option<Error>,
    progress: &'a dyn Fn(u64, u64),
}

impl<'a, R: BufRead> Batches<'a, R> {
    pub(crate) fn new(
        reader: R,
        address: String,
        (schema, columns): (SchemaRef, &[Sent]),
        failed: &'a dyn Fn(io::Error) -> Error,
        progress: &'a dyn Fn(u64, u64),
    ) -> Self {
        let builders = columns.iter().map(|&sent| Builder::new(sent)).collect();
        Self {
            reader,
            address,
            schema,
            builders,
            field: Vec::new(),
            n_rows: 0,
            n_bytes: 0,
            is_done: false,
            failed,
            fault: None,
            progress,
        }
    }

    fn malformed(&self) -> Error {
        let problem = "the server sent rows that cannot be read".into();
        Kind::Connection { address: self.address.clone(), problem }.into()
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let mut bytes = [0; N];
        self.reader.read_exact(&mut bytes).map_err(self.failed)?;
        self.n_bytes += N as u64;
        Ok(bytes)
    }

    fn header(&mut self) -> Result<(), Error> {
        if &self.bytes::<11>()? != SIGNATURE {
            return Err(self.malformed());
        }
        let flags = u32::from_be_bytes(self.bytes()?);
        // Every row would have a number before its fields.
        if flags & 1 << 16 != 0 {
            return Err(self.malformed());
        }
        let n_more = u32::from_be_bytes(self.bytes()?);
        let mut more = self.reader.by_ref().take(u64::from(n_more));
        io::copy(&mut more, &mut io::sink()).map_err(self.failed)?;
        Ok(())
    }

    /// The next rows; none at the end.
    fn batch(&mut self) -> Result<Option<RecordBatch>, Error> {
        if self.n_bytes == 0 {
            self.header()?;
        }
        let mut n = 0;
        while n < BATCH && !self.is_done {
            let n_fields = i16::from_be_bytes(self.bytes()?);
            if n_fields == -1 {
                self.is_done = true;
                // The trailer; the end of the stream says that the server has finished the query.
                if !self.reader.fill_buf().map_err(self.failed)?.is_empty() {
                    return Err(self.malformed());
                }
                break;
            }
            if usize::try_from(n_fields) != Ok(self.builders.len()) {
                return Err(self.malformed());
            }
            n += 1;
            self.n_rows += 1;
            self.row()?;
        }
        kohort_core::alive();
        (self.progress)(self.n_bytes, 0);
        if n == 0 {
            return Ok(None);
        }
        let arrays = self.builders.iter_mut().map(Builder::finish).collect();
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), arrays);
        Ok(Some(batch.expect("the columns have one length and the types of the schema")))
    }

    fn row(&mut self) -> Result<(), Error> {
        for at in 0..self.builders.len() {
            let length = i32::from_be_bytes(self.bytes()?);
            if length == -1 {
                self.builders[at].push_null();
                continue;
            }
            let length = u64::try_from(length).map_err(|_| self.malformed())?;
            self.field.clear();
            let read = self.reader.by_ref().take(length).read_to_end(&mut self.field);
            if read.map_err(self.failed)? as u64 != length {
                return Err(self.malformed());
            }
            self.n_bytes += length;
            if let Err(fault) = self.builders[at].push(&self.field) {
                let (address, row) = (self.address.clone(), self.n_rows);
                let column = self.schema.field(at).name().clone();
                return Err(match fault {
                    Fault::Malformed => self.malformed(),
                    Fault::Infinite => Kind::Infinite { address, row, column }.into(),
                    Fault::NotText => Kind::NotText { address, row, column }.into(),
                });
            }
        }
        Ok(())
    }
}

impl<R: BufRead> Iterator for Batches<'_, R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.batch() {
            Ok(batch) => batch.map(Ok),
            Err(fault) => {
                let told = ArrowError::ExternalError(fault.to_string().into());
                self.fault = Some(fault);
                Some(Err(told))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use arrow_schema::{Field, Schema};

    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<RecordBatch>, String> {
        let columns = [Sent::Int32, Sent::Text];
        let fields = columns.iter().zip(["a", "b"]);
        let fields = fields.map(|(sent, name)| Field::new(name, sent.data_type(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let failed = |error: io::Error| {
            Kind::Connection { address: "db".into(), problem: error.kind().to_string() }.into()
        };
        let mut batches = Batches::new(bytes, "db".into(), (schema, &columns), &failed, &|_, _| {});
        let read: Result<Vec<_>, _> = batches.by_ref().collect();
        read.map_err(|_| batches.fault.expect("there is a reason").to_string())
    }

    fn whole() -> Vec<u8> {
        let mut bytes = SIGNATURE.to_vec();
        bytes.extend([0; 8]);
        bytes.extend(b"\0\x02\0\0\0\x04\xff\xff\xff\xfe\0\0\0\x02hi");
        bytes.extend(b"\0\x02\xff\xff\xff\xff\0\0\0\0");
        bytes.extend(b"\xff\xff");
        bytes
    }

    #[test]
    fn rows_come_as_they_were_sent() {
        let batches = read(&whole()).expect("two rows");
        assert_eq!(batches.len(), 1);
        assert_eq!(batches[0].num_rows(), 2);
        let texts = |at: usize| format!("{:?}", batches[0].column(at));
        assert!(texts(0).contains("-2,\n  null"), "{}", texts(0));
        assert!(texts(1).contains("\"hi\",\n  \"\""), "{}", texts(1));
    }

    #[test]
    fn a_stream_that_ends_early_is_no_table() {
        let whole = whole();
        for n in 0..whole.len() {
            let problem = read(&whole[..n]).expect_err("it is cut");
            assert!(
                problem == "db: unexpected end of file" || problem.contains("cannot be read"),
                "{problem}"
            );
        }
        let mut more = whole;
        more.push(0);
        assert!(read(&more).is_err());
    }

    #[test]
    fn a_field_of_another_length_is_no_number() {
        let mut bytes = SIGNATURE.to_vec();
        bytes.extend([0; 8]);
        bytes.extend(b"\0\x02\0\0\0\x01\x07\0\0\0\x01x\xff\xff");
        assert!(read(&bytes).expect_err("one byte").contains("cannot be read"));
    }
}
