// Package tune chooses parameters of methods: which settings a search tries, which of them go on
// when it halves, and which one wins. It is pure: what a setting is worth is measured elsewhere.
//
// A setting is one value for each range, in the order of the ranges. A grid is the product of the
// values of all ranges, the last one changing fastest; a range between two ends has as many
// equidistant points as the budget allows. A random search takes the points of a Halton sequence
// (J. H. Halton, Numerische Mathematik 2, 1960), each coordinate rotated by what the ranges are
// (R. Cranley, T. N. L. Patterson, SIAM J. Numer. Anal. 13, 1976), so that it is the same wherever
// it runs, and the same for all methods with these ranges. Halving tries the settings of a random
// search for a part of the rounds and lets the better third go on (K. Jamieson, A. Talwalkar,
// AISTATS 2016; with η = 3 as in L. Li et al., Hyperband, JMLR 18, 2018).
//
// A search is extended by values beyond the edge at which a winner lies, and by further points of
// the random search, so that each method gets equally many settings. Where a search halves, those
// that are added at once compete with each other, like a bracket of Hyperband; the best of all
// settings that were trained to the end wins.
//
// Values between two ends are rounded to four significant digits.
package tune
