// Package claim is the language in which an experiment file says what a paper claims, so that the
// claim can be tested: predicates about methods, metrics and axes of the sweep.
//
//	better(A, B, METRIC [, by = MARGIN])      A is better than B, by more than a margin
//	worse(A, B, METRIC [, by = MARGIN])       better with A and B exchanged
//	order(A > B > C, METRIC)                  A is better than B, and B than C
//	equivalent(A, B, METRIC, within = MARGIN) they differ by no more than a margin
//	increases(METRIC, over = AXIS [, of = A]) the metric grows along the points of an axis
//	decreases(METRIC, over = AXIS [, of = A]) it shrinks
//	constant(METRIC, over = AXIS, within = MARGIN [, of = A])
//	                                          no two points of the axis differ by more
//	reaches(A, METRIC, <= NUMBER [, by = round N])
//	                                          the best value, up to a round, is that good
//	value(A, METRIC, = NUMBER ± NUMBER)       the final value; or <= NUMBER, or >= NUMBER
//	exponent(A, METRIC, over = AXIS, = NUMBER ± NUMBER)
//	                                          slope of log METRIC over log AXIS; or <=, or >=
//	P and Q                                   both
//
// A MARGIN is a number in the unit of the metric, or a percentage of the value of B (of constant:
// of the earlier point). A tolerance behind ± may be a percentage of the number before it. <= may
// be written ≤ or <, >= as ≥ or >, ± as +-, and a minus sign as −.
//
// Names are the labels of the file. One with commas or parentheses may be written as it is: the
// longest label that fits is taken. It may also be quoted, 'like this', with a quote that is
// doubled within. An axis may be called by the last element of its name.
//
// The package knows neither experiments nor statistics: Parse is given the names that there are,
// and package reports/verdict tests what is claimed.
package claim
