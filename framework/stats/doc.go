// Package stats holds sampling designs and the laws of the cohorts they draw; what estimates
// and corrects for them: logistic regression, calibration to known moments, and inverse
// propensities; a geometric median, and a Newton method for the convex functions of statistics;
// and what is known of features by their moments: by class, of one Gaussian, and of mixtures.
//
// A design has up to three parts: its law, the probability of every cohort; its inclusion
// probabilities, which never need the cohorts to be listed; and a draw. Laws are exact to rounding:
// sums have no negative terms, and integrals converge to machine precision. A draw needs a table
// that the caller owns and a generator that the caller passes; it allocates nothing and leaves the
// table as it was.
package stats
