//! Tables in and out: CSV, Parquet, JSON Lines and Arrow. The only opener of files.
