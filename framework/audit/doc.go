// Package audit answers, before any training: who trains, how often, and what objective
// does a method therefore really minimise?
//
// It takes a composed cell apart. The law of cohorts gives inclusion probabilities and,
// with the importance p, the feasibility of exact alignment (FedAVOT, Theorem 1). The
// weights that the aggregator gives each client are read off the aggregator itself, by
// showing it updates that are unit vectors: so the audit holds for any linear rule, ours
// or a user's. Their mean over the law is p̃, the importance that is really optimised;
// from it follow the distance to p and, where the model has a solver, the price of the
// difference: F(θ_p̃) − F(θ_p).
package audit
