// Package partition splits the rows of a data set among clients, one file per scheme.
//
// Whatever the way, every client's rows are ascending, and all randomness is the stream
// that the experiment calls partition: methods compared at one seed share the split.
package partition
