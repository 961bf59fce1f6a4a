// Package infer makes samples of results and compares them. It holds statistics and no prose.
//
// A sample is the final values of one metric for one method at one point of the sweep, one
// value per seed. Seeds are the unit of replication and are paired across methods: two methods
// are compared by a paired t test, Holm-adjusted over the tests of a family, and by exact
// tests beside it. The best set is the best mean and, in the order of means, every next one
// that does not differ significantly from it. Ranks over conditions are tested by Friedman's
// test. What is not complete (fewer seeds than planned, a value that is not finite) is neither
// ranked nor tested.
//
// An Input is everything a report is made of; a Plan finds its cells by method and point.
package infer
