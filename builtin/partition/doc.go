// Package partition deals the rows of a data set to clients, one file per way of dealing.
//
// Whatever the way, every client's rows are ascending, and all randomness is the stream
// that the experiment calls partition: methods compared at one seed share the split.
package partition
