// Package audit answers, before any training: who trains, how often, and what objective
// does a method therefore really minimise?
//
// It takes a composed cell apart, move by move. Enrolment: who can ever be reached, with which
// chance, and for whom no weights can make up. Availability and selection: the law of cohorts
// gives inclusion probabilities and, with the importance p, the feasibility of exact alignment
// (FedAVOT, Theorem 1). The weights that the aggregator gives each client are read off the
// aggregator itself, by showing it updates that are unit vectors: so the audit holds for any
// linear rule, ours or a user's. One that only weighs is asked for its weights when it combines.
// Where rounds differ by what the server sees or is told of them, the weights are read in
// simulated rounds that have all that. Their mean over the law is p̃, the importance that is
// really optimised; from it follow the distance to p and, where the model has a solver, the
// price of the difference: F(θ_p̃) − F(θ_p), the floor.
//
// # What training reaches
//
// The floor is where small single steps of an average cohort end. Training does more, and what it
// adds can be foreseen as well as far as a client's work Δᵢ(θ) = bᵢ + Jᵢ(θ − θ̄) is linear near
// the point θ̄ about which θ settles, where the mean step Σ w̄ᵢΔᵢ is zero:
//
//   - drift: F(θ̄) − F(θ_p̃). After several local steps θ̄ is not the optimum of any weighting of
//     objectives. It is found by Newton's method on the mean step.
//   - noise: E F(θ) − F(θ̄). Cohorts differ from round to round, and θ moves about θ̄ by
//     e ← e + Σ wₖ(bₖ + Jₖe). This recursion is played with cohorts and weights of simulated
//     rounds, so that cohorts may depend on those before, weights on context, and Σw may vary;
//     a covariance in closed form would need rounds to be independent. F is taken to the second
//     order. The error of the simulation is estimated from the means of twenty stretches.
//   - start: what is left of θ⁰ after the last round, by the mean step alone.
//
// With quadratic losses and full gradients the round is linear, and all this is exact but for the
// error of simulation; tests hold it to training. Otherwise it is right to the first order in the
// step. The b and J are differences of what the local rule itself makes of the clients' data,
// hence any rule will do, provided that it makes the same of the same model in all rounds.
//
// What is left out: batches drawn at random add noise of their own, and rates that change have no
// level; the finding says so, and the floor stands alone. So it does for models of many
// parameters, of which every client would have a Jacobian.
package audit
