package fl

// A Reference is a Metric that compares each client with a model that it trained alone, without any
// other client. The engine keeps that model in the client's state: it begins as θ⁰, and whenever
// the client has trained in a round, Alone trains it on. None of it is communication, and nothing
// else depends on it.
type Reference interface {
	Metric
	// AloneBy names how Alone trains. Metrics of one name share the models.
	AloneBy() string
	// Alone makes so many steps of t.Params, as many as the update of the client says that it took.
	// t.RNG depends on the seed, the round and the client alone, so that two methods whose clients
	// take the same steps in the same rounds are compared with the same models.
	Alone(t *Task, steps int)
}
