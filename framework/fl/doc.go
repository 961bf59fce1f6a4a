// Package fl is the vocabulary of federated learning: types and contracts, no algorithms.
//
// One round: an Availability says which clients are available; a Selection picks the cohort Sᵗ
// among them; a LocalRule runs on every client of the cohort, from the global model θᵗ⁻¹, and
// uploads an Update; an Aggregator turns the Round into an Outcome: the next global model θᵗ, and
// what clients are sent along with it. A server whose θᵗ is a weighted sum is a Weigher: it is
// asked for the weights before local training, and models are summed as clients finish.
//
// Around the rounds: a Source yields data, a Partitioner splits it among the clients, Preprocessors
// transform it before the first round, an Importance says how much each client counts in the
// objective F(θ) = Σ pᵢ fᵢ(θ), a Model turns parameters and inputs into scores, and a Metric
// measures the result. Each is a component: it has a name in experiment files, an Entry that
// describes it, and Params that it declares by reading them.
//
// Two rules hold for every component. It is immutable once built: what must last from one round to
// the next lives in the State that the engine passes to it. It draws randomness only from the
// generator that is passed to it. So a run is reproducible: the same seed gives the same bits,
// however many clients train at once.
package fl
