// Package audit answers, before any training: who trains, how often, and what objective
// does a method therefore really minimise?
//
// It takes a composed cell apart, move by move. Enrolment: who can ever be reached, with which
// chance, and for whom no weights can make up. Availability and selection: the cohort distribution
// gives inclusion probabilities and, with the importance p, the feasibility of exact alignment
// (FedAVOT, Theorem 1). The weights that the aggregator gives each client are read off the
// aggregator itself, by showing it updates that are unit vectors: so the audit holds for any
// linear rule, ours or a user's. A weighted sum is asked for its weights.
// Where rounds differ by what the server sees or is told of them, the weights are read in
// simulated rounds that have all that. A law that was estimated is not judged by the rounds that it
// was estimated from, and the error of a mean over rounds that depend on each other is that of
// means of batches of them. Their mean over the law is p̃, the importance that is
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
//   - noise: cohorts differ from round to round, and θ moves about θ̄.
//   - start: what is left of θ⁰, by the mean step alone.
//
// A round makes e + Σ wₖ(bₖ + Jₖe) of e = θ − θ̄. Mean and covariance of e follow a recursion of
// their own, from θ⁰ on: exactly where the law lists its cohorts, their weights are fixed and
// rounds are independent, since nothing but E[wᵢ] and E[wᵢwₖ] enters. Elsewhere, where cohorts
// depend on those before, weights on context or on what was learnt, or the model is large,
// trainings are simulated: the recursion is played with cohorts and weights as they would come,
// and the standard error of the mean is stated. What is expected is the mean over the rounds of the
// window that final values are means of, however many rounds there are, whether or not θ has
// settled.
//
// Simulated trainings also tell how far what single seeds reach may differ. What was reached is
// compared with the middle 95 % of them: a Monte Carlo test, exact whatever the distribution is.
//
// With quadratic losses and full gradients the round is affine, and all this is exact but for the
// error of simulation; tests hold it to training. Otherwise it is right to the first order in the
// step. The b and J are differences of what the local rule itself makes of the clients' data,
// hence any rule will do, provided that it makes the same of the same model in all rounds.
//
// What is left out: batches drawn at random add noise of their own, and rates that change have no
// level; the finding says so, and the floor stands alone. So it does where Jacobians of all clients
// take more numbers, or more local training, than training itself.
package audit
