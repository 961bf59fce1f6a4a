// Package fl is the vocabulary of federated learning: the nouns and the contracts,
// no algorithms.
//
// One round, in this package's words. An Availability says which clients can be
// reached; a Selection picks the cohort Sᵗ among them; a LocalRule runs on every
// client of the cohort, from the global model θᵗ⁻¹, and uploads an Update; an
// Aggregator turns the Round into the next global model θᵗ.
//
// Around the rounds: a Source yields data, a Partitioner deals it to the clients, Preprocessors
// move it before the first round, an Importance says how much each client counts in the
// objective F(θ) = Σ pᵢ fᵢ(θ), a Model turns parameters and inputs into scores, and a
// Metric measures what came of it. Each is a component: it has a name in experiment files,
// an Entry that describes it, and Params that it declares by reading them.
//
// Two rules hold for every component. It is immutable once built: what must last from
// one round to the next lives in the State that the engine hands it. And it draws
// randomness only from the generator it is handed. Together they make a run exact: the
// same seed gives the same bits, however many clients train at once.
package fl
