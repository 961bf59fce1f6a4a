// Package claim is the language in which an experiment file says what a paper claims, so that the
// claim can be tested: predicates about methods, metrics and axes of the sweep.
//
//	better(T, U, METRIC [, by = MARGIN])      T is better than U, by more than a margin
//	worse(T, U, METRIC [, by = MARGIN])       better with T and U exchanged
//	order(T > U > V, METRIC)                  T is better than U, and U than V
//	equivalent(T, U, METRIC, within = MARGIN) they differ by no more than a margin
//	increases(METRIC, over = AXIS [, of = T]) the metric grows along the points of an axis
//	decreases(METRIC, over = AXIS [, of = T]) it shrinks
//	constant(METRIC, over = AXIS, within = MARGIN [, of = T])
//	                                          no two points of the axis differ by more
//	reaches(A, METRIC, <= NUMBER [, by = round N])
//	                                          the best value, up to a round, is that good
//	value(T, METRIC, = NUMBER ± NUMBER)       the final value; or <= NUMBER, or >= NUMBER
//	exponent(A, METRIC, over = AXIS, = NUMBER ± NUMBER)
//	                                          slope of log METRIC over log AXIS; or <=, or >=
//	P and Q                                   both
//
// T, U and V are methods, or gains A - B of one method over another: the value of A less that of B,
// in every seed. The minus sign stands between spaces. Of a metric of which less is better the gain
// is negative where A is better. So "the gain of A over B grows with the shift", and "what A gains
// by alignment is more than what B gains" are
//
//	increases(accuracy, over = shift, of = A - B)
//	better(A (aligned) - A, B (aligned) - B, accuracy)
//
// A gain is compared with gains only. It is the better one where it improves more, whichever the
// direction of the metric is.
//
// A MARGIN is a number in the unit of the metric, or a percentage of the value of U (of constant:
// of the earlier point; of a gain: of the gain, not of the values it is made of). A tolerance
// behind ± may be a percentage of the number before it. <= may be written ≤ or <, >= as ≥ or >, ±
// as +-, and a minus sign as −.
//
// Names are the labels of the file. One with commas, parentheses or hyphens may be written as it
// is: the longest label that fits is taken, also one that has a minus sign between spaces. It may
// also be quoted, 'like this', with a quote that is doubled within: 'A' - 'B' is a gain where
// A - B is a label, too. An axis may be called by the last element of its name.
//
// # What is compared
//
// Two methods are compared at one point of the sweep, where both measure one quantity: a metric
// with its parameters, of the same test data, training data, population, p, loss and rounds as
// far as it reads them. A claim that compares others is a mistake in the file, unless [report]
// has across = true.
//
// Points of an axis are another matter. A claim along an axis is about the function from its
// points to values, and the axis may be what changes the data or the loss: that the suboptimality
// of a rule grows like G² is a claim about problems, each with its own optimum. So points may
// differ in everything but the metric and its parameters, and the verdict names in what they do.
// It says nothing of a cause: where an axis changes test data, accuracy may fall because the test
// is harder. A gain A - B is of one quantity at each point, and of the points the same is true.
//
// # Parts of an experiment
//
// Where results are those of a part of the experiment, as of --only size=quick, a claim is judged
// at the points that it is about and the part has. It is not judged where the part lacks a label
// that the claim is at, a method that it is about, or a point of the axis that it is along.
//
// # What cannot be judged
//
// A claim that results cannot decide is a mistake, too: predicates that exclude each other; a
// value outside the range of its metric, or bounds as wide as that; a loss that is 100 % smaller
// than another; a best value on the wrong side; a round after the last one.
//
// The package knows neither experiments nor statistics: Parse is given the names that there are,
// and package reports/verdict tests what is claimed.
package claim
