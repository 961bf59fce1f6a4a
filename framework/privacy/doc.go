// Package privacy accounts for differential privacy, and holds the arithmetic that goes with it:
// noise on integers, noise of prefix sums, and sums in a finite ring.
//
// A Mechanism is one release of a noisy sum and how its clients were drawn. A Ledger
// turns the rounds of a run into mechanisms, and claims amplification by sampling only where the
// law of participation supports it. Three accountants turn mechanisms into (ε, δ):
//
//	Gaussian   exact, without sampling: one Gaussian mechanism for any number of rounds
//	RDP        Rényi differential privacy: an upper bound, in closed form
//	PLD        the distribution of the privacy loss, composed by FFT: an interval that holds ε
//
// Noise that clients add to integers, each its share (Distributed), has bounds of its own, by Rényi
// divergences. Moments are sums over the samples of one client, with noise for single samples.
//
// What is guaranteed: numbers for research, not protection for a deployment. Noise is
// floating-point noise from named streams, which can be drawn again from the seed; the low bits of
// floating-point sums depend on the data (Mironov 2012), and only DiscreteGaussian and Skellam,
// added to integers, have none of these. Masks hide nothing, because their streams are not secret.
// ε is that of the mechanism as stated: it assumes that contributions were clipped, that the number
// by which a sum is divided was fixed beforehand, and that nothing else was released, such as the
// tuning of parameters or the lists of cohorts.
//
// Bounds hold up to the rounding of float64. It is not part of a bound but of its stated
// allowance (PLD), or less than 1e-12 per release (RDP).
package privacy
