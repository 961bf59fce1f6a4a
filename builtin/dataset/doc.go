// Package dataset yields the data that experiments train on, one file per data set: read
// from files, or drawn at random.
package dataset
