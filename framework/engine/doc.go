// Package engine runs one cell: it loads and partitions the data, and then plays round after
// round — availability, selection, weights, local training, aggregation — measuring on the way.
// All that changes from round to round is the Progress of the cell; saved, it is a checkpoint.
//
// What it promises. A Result is a function of the Setup alone: the same bits with one
// worker or eight, in one go or resumed from any checkpoint. Clients train in parallel,
// but every sum over clients runs in the order of clients. A round allocates nothing.
package engine
