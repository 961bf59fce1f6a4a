// Package data turns files, and other people's random streams, into the numbers that
// data sets are made of.
//
// A data set that lies in files says which ones, with their checksums and where they
// can be had; Find looks for them, Verify checks them, and a reader per format turns
// them into rows. A data set that somebody else drew at random is drawn again from the
// same generator: RandomState is NumPy's.
package data
