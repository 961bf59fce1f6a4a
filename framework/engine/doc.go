// Package engine makes one training run, a method with a setting and a seed: it loads and
// partitions the data, and then goes through the rounds (availability, selection, weights, local
// training, aggregation) and measures. In code a training run is a Cell. All that changes from
// round to round is its Progress; saved, it is a checkpoint.
//
// A Result is a function of the Setup alone: the same bits with one worker or eight, in one go or
// resumed from any checkpoint. Clients train in parallel, but every sum over clients runs in the
// order of clients. A round allocates nothing.
package engine
