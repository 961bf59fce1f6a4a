// Package audit answers, before any training: which clients participate, how often, and which
// objective does a method therefore really minimise?
//
// It examines a composed cell stage by stage. Enrolment: which clients can ever participate, with
// which probability, and which of them no weights can compensate for. Availability and selection:
// the cohort distribution gives inclusion probabilities and, with the importance p, the feasibility
// of exact alignment (FedAVOT, Theorem 1). The weight of each client is read off the aggregator
// itself, from its output for updates that are unit vectors: so the audit holds for any linear
// rule, built-in or a user's. The weights of a weighted sum are its own. Where
// rounds differ in context or in their true probabilities, the weights are read in simulated rounds
// that have these. Weights of an estimated distribution are measured on new rounds, not on those of
// the estimate, and the error of a mean over dependent rounds is computed from batch means. The
// mean of the weights over the cohort distribution is p̃, the importance that is really optimised;
// from it follow the distance to p and, where the model has a solver, the cost of the difference:
// F(θ_p̃) − F(θ_p), the floor.
//
// # What training reaches
//
// The floor is where small single steps of an average cohort end. Training adds to it, which can be
// predicted as far as a client's work Δᵢ(θ) = bᵢ + Jᵢ(θ − θ̄) is linear near the point θ̄ about
// which θ settles, where the mean step Σ w̄ᵢΔᵢ is zero:
//
//   - drift: F(θ̄) − F(θ_p̃). After several local steps θ̄ is not the optimum of any weighting of
//     objectives. It is found by Newton's method on the mean step.
//   - noise: cohorts differ from round to round, and θ moves about θ̄.
//   - start: what is left of θ⁰, by the mean step alone.
//
// A round makes e + Σ wₖ(bₖ + Jₖe) of e = θ − θ̄. Mean and covariance of e follow a recursion of
// their own, from θ⁰ on: exactly where the law lists its cohorts, their weights are fixed and
// rounds are independent, since nothing but E[wᵢ] and E[wᵢwₖ] enters. Elsewhere, where cohorts
// depend on those before, weights on context or on what was learnt, or the model is large,
// trainings are simulated: the recursion runs with simulated cohorts and weights, and the standard
// error of the mean is stated. The expectation is that of the final value, a mean over the rounds
// of the window, for any number of rounds, whether or not θ has settled.
//
// Simulated trainings also give the spread over seeds. The result of training is compared with the
// middle 95 % of them: a Monte Carlo test, exact whatever the distribution is.
//
// With quadratic losses and full gradients the round is affine, and all this is exact but for the
// error of simulation; tests compare it with training. Otherwise it is right to the first order in
// the step. The b and J are differences of what the local rule itself makes of the clients' data,
// hence any rule will do, provided that it makes the same of the same model in all rounds.
//
// Not predicted: batches drawn at random add noise of their own, and rates that change have no
// level; the finding says so, and has the floor only. The same holds where Jacobians of all clients
// take more numbers, or more local training, than training itself.
package audit
