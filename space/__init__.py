"""The show house: reads published Parquet through DuckDB and holds no truth."""
