// Package ot solves optimal transport: between importance and availability, and, as [Transport],
// between any two lists of masses at given costs.
//
// # Importance and availability
//
// The question is always the same. Cohorts have a distribution q, which the environment determines;
// clients have an importance p, which the experiment chooses. With which weights must the members
// of each cohort be averaged so that every client counts p in the mean? [Masked] answers it for a
// distribution that lists its cohorts, [Independent] for distributions that are too long to list,
// and [Ascent] for an unknown distribution.
//
// All of them return the vector log u of a [Plan], because every iterate of Algorithm 1 of FedAVOT
// (S. A. Rahimi, D. Kalogerias) is a scaling diag(u)·mask·diag(v) whose column sums are exact, and
// that leaves only
//
//	Y[i, A] = uᵢ / Σ_{k∈A} uₖ   for i ∈ A                                        (1)
//
// for the weight of client i in cohort A, which is Luce's choice rule. [Weights]
// computes it for any cohort, listed or not. The importance that these weights realise
// is p̃ᵢ = Σ_A q_A Y[i, A], the gradient of the convex Σ_A q_A log Σ_{k∈A} uₖ in log u.
//
// Not every p can be realised. [Masked.Feasibility] decides it by a maximal flow and shows a Hall
// set whose importance exceeds the probability of its cohorts; then p̃ ≠ p for every choice of
// weights, [Masked.Tiers] computes the nearest p̃, and [Masked.Soften] and [Masked.TierPlan] are
// two approximations.
//
// # Weights of least variance
//
// Where p can be realised there are many plans, and Scale finds that of largest entropy.
// [VariancePlan] is another choice: among all plans with the same marginal it has the least Σ_A
// q_A ‖Y_A‖², whose inverse is an effective cohort size. [Masked.MinimumVariance] finds it. Both
// are duals in N numbers, and differ in one function:
//
//	largest entropy:  Y_A = softmax of log u on A,     which is (1)
//	least variance:   Y_A = sparsemax of λ on A,       max(0, λᵢ − ν_A)
//
// since sparsemax, the projection on the simplex, is to ½‖Y‖² what softmax is to the entropy. So
// the weights of any cohort follow from N numbers here, too, and [Ascent] learns these as it learns
// log u. What differs: λ is finite where p is barely feasible; a client may have no weight in some
// cohorts; there is no scaling, so that Newton's method has to do everything.
//
// Where they come from: with λᵢ for Σ_A q_A Y[i, A] = pᵢ the Lagrangian
//
//	½ Σ_A q_A ‖Y_A‖² − λ·(Σ_A q_A Y_A − p) = Σ_A q_A (½‖Y_A‖² − λ·Y_A) + λ·p
//
// separates by cohort, and ½‖Y_A − λ‖² is least on the simplex at sparsemax. So the dual is to
// maximise λ·p − Σ_A q_A max_Y (λ·Y − ½‖Y‖²), whose gradient is p − P(λ): what the marginal of
// these weights lacks. It is concave and piecewise quadratic, and its value is a bound from below.
// Any λ is a certificate: its weights have the least variance of all with their own marginal, and
// for p nothing is below Σ q‖Y‖² + 2λ·(p − P(λ)). Where Y ≥ 0 is dropped, sparsemax becomes
// λᵢ + (1 − Σ_A λ)/|A|, and λ solves linear equations. Where Σ_A Y = 1 is dropped as well, it
// becomes λᵢ itself, so that λᵢπᵢ = pᵢ: inverse probability weights. Constraints cost variance,
//
//	Σ pᵢ²/πᵢ ≤ signed weights of sum 1 ≤ convex weights of least variance ≤ largest entropy,
//
// with equality throughout where the pᵢ/πᵢ of every cohort sum to 1.
//
// Less variance can be had for bias. [Masked.Frontier] is the least total variation of p̃ from p
// for every budget of variance. At a price 4c of total variation, c‖p̃ − p‖₁ beside ½ Σ q‖Y‖², its
// plans solve the same dual with |λᵢ| ≤ c, as c‖·‖₁ is the conjugate of that bound: with c = 0 all
// members of a cohort count the same, and from some c on total variation is the least that is
// possible. [Masked.Biased] is the plan for a budget of it. With weights of any sign and sum the
// frontier has a closed form, [AnyWeights], which ends at inverse probability weights, pᵢ/πᵢ with
// variance Σ pᵢ²/πᵢ. It bounds the other from below.
//
// # Costs
//
// A [Transport] problem asks which mass goes where at least cost. [Exact] finds such a plan and
// potentials that prove it. [Entropic] blurs it by λ, which is what CODE fuses networks with, and
// is cheap at any size. [Partial] moves a part of the mass only, exactly, and [Unbalanced] puts a
// price on marginals that are missed. [Gromov] compares spaces whose points have no costs between
// them. All answer with a [Coupling] and keep their memory for the next problem.
//
// # Barycenters of histograms and images
//
// [Bregman] finds the barycenter of measures on one [Support], blurred by λ. On the grid of an
// image its kernel is a product of two small ones. On the line [Quantiles] finds the exact one, for
// histograms and for samples, and the map to it.
//
// # Gaussians
//
// Between Gaussians transport has a closed form, up to matrix roots. [Bures] finds their distance,
// the map from one to another and the way there, and the barycenter of many.
package ot
