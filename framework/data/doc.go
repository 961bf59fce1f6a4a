// Package data turns files, and other people's random streams, into the numbers that
// data sets are made of.
//
// A data set that lies in known files is a Set: which files, with their checksums and where they
// can be had. Find looks for them, Verify checks them, a Fetcher downloads them. Locate and Glob
// look for files that a parameter names. A reader per format turns files into rows: ReadIDX, CIFAR,
// ReadArray of what NumPy saves, ReadPicture with a Scaler, and of text LIBSVM and Table, which
// name file, line and column of what is wrong; packed files are unpacked as they are read, and
// nothing is held twice. ReadSlots and ReadSpans read the availability of devices, as a Trace.
//
// A data set that NumPy drew at random is drawn again from the same generator: RandomState is
// NumPy's.
package data
