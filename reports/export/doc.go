// Package export writes a run in long form, a row for every value that was measured: as CSV,
// lines of JSON or Parquet; and as arrays for NumPy and event files for TensorBoard.
package export
