// Package verdict tests what papers claim with the results of a run. It holds statistics and short
// words about them; how verdicts are laid out is for packages table and render.
//
// Every claim becomes one-sided statements about means over seeds: better(A, B, loss) says that the
// mean of B − A is above 0, a claim of equivalence says two such things (TOST). Each has p for
// holding and p for its opposite, by Student's t, paired where two methods or points are compared;
// a trend over three or more points is tested by Page's L with seeds as blocks. A claim with
// several statements (points of the sweep, links of an order, pairs of points, predicates joined
// by and) holds by the largest p of its statements (intersection–union), and its opposite holds by
// the smallest times their number (Bonferroni).
//
//	p = min(1, 2 · min(p for holding, p for the opposite))
//
// is adjusted by Holm's method over the claims of a file. Below 5 % the claim holds or is refuted;
// else it is undecided, and the seeds are estimated with which the first step of Holm's method
// decides with power 80 %, if means and standard deviations are what they seem. Lack of power
// never refutes. So at most one file in twenty has a verdict that is wrong.
//
// A difference of two methods along an axis, or at a point, is taken in every seed before
// anything is tested, so that what both share cancels out.
//
// Methods are compared where they measure one quantity; else the claim is not comparable, unless
// the report goes across such differences. Points of an axis may differ in all but the metric:
// the verdict names in what.
//
// Of a part of an experiment, as of --only size=quick, claims are judged at the points that it has.
// Those that name others, or that are about a method or an axis of which the part lacks something,
// are not judged, and Holm's method does not count them. A run whose results are at some points
// only is such a part.
//
// A method that diverges is a result, too: its value is worse than every number, and worse by more
// than any margin. Differences of two methods at a point, and values that are held to a bound, then
// have no mean, and the sign test over seeds takes the place of t; seeds with which both methods
// diverge count for neither side. So that a method that diverges in every seed is worse takes six
// seeds, where nothing else is claimed. Costs of a method that diverged, gains over it and its
// trends along an axis are undecided. The verdict names the method in all of these.
//
// Numbers without spread over seeds are compared as they are, without a test, and so are
// differences that are the same in every seed.
//
//	judge.go       the claims of a file: Holm, verdicts
//	predicates.go  what each predicate says of samples
//	trends.go      predicates about an axis of the sweep
//	sides.go       one-sided statements and their p
//	part.go        what a part of an experiment lacks to judge a claim
//	check.go       what is wrong with a claim before there are results
//	samples.go     the values of a method at a point, or why there are none
//	words.go       what is said of a verdict
package verdict
