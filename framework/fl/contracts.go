package fl

import "math/rand/v2"

// An Aggregator is the server's half of a method.
//
// Aggregate returns what becomes of the updates of a cohort. It modifies nothing that it can
// reach from the Round but State and Notes, and keeps no reference into it. A number's trouble —
// a plan that did not converge — is a note; an error ends the cell.
type Aggregator interface {
	Aggregate(r *Round) (Outcome, error)
}

// A Weigher says how much each update counts in a weighted sum of models, and no more: Weigh makes
// an Aggregator of it. Models are summed as clients finish, and none is kept, so that memory does
// not grow with the cohort.
//
// Weights is asked for before the cohort is trained: an Update has its Client and Samples, and
// nothing else. It keeps to the rules of Aggregator.
type Weigher interface {
	Weights(r *Round) (Weights, error)
}

// A ServerOptimizer makes θᵗ of the weighted sum of a round: by momentum, or at a rate of its own.
// WeighThen makes an Aggregator of it and a Weigher.
//
// Running statistics of batch norms stay those of the sum, whatever Step makes of them.
// Step may change sum and return it as Params. It sees of updates what a Weigher does, and keeps
// to the rules of Aggregator.
type ServerOptimizer interface {
	Step(r *Round, sum Vector) (Outcome, error)
}

// A LocalRule is the client's half of a method.
//
// Run trains on the client's data, from t.Global, and returns what the client uploads.
// It runs for several clients at once, each with a Task of its own.
type LocalRule interface {
	Run(t *Task) (Update, error)
}

// An Optimizer turns gradients into steps. It holds nothing itself: what lasts from one
// step of a client to its next lies in the Slots of a Step.
type Optimizer interface {
	// Slots returns how many vectors, each as long as the parameters, it keeps there.
	Slots() int
	// Step moves s.Params by what it makes of s.Grad.
	Step(s *Step)
	// Rule says the same in numbers, where it is one of the rules that networks know.
	Rule() Rule
}

// An Importance says how much each client counts in the objective.
type Importance interface {
	// Weights returns p: length N, non-negative, summing to 1.
	Weights(pop *Roster) Vector
}

// An Enrollment says which clients can ever participate: the first stage of the environment, before
// the first round.
type Enrollment interface {
	// Enroll returns for every client whether it is enrolled, and fills e.Probability where
	// that is known.
	Enroll(e *EnrollmentInput) []bool
}

// An Availability model says which clients are available in a round: a stage of the environment.
type Availability interface {
	// Available returns the reachable clients, ascending. Those of them that are not
	// enrolled are left out by the engine. It may say more: see AvailabilityInput.
	Available(r *AvailabilityInput) []int
	// Law returns the law of Available in a round, or false when it has no closed
	// form: then it is estimated from simulated rounds.
	Law(pop *Roster) (Law, bool)
}

// A Selection mechanism picks the cohort among the available clients: the policy of the server.
type Selection interface {
	// Select returns a subset of d.Available, ascending. It may say more: see SelectionInput.
	Select(d *SelectionInput) []int
	// Law returns the law of Select given the available clients, or false when it has no closed
	// form. A mechanism that selects all clients sets Law.Everyone, for any available ones.
	Law(pop *Roster, available []int) (Law, bool)
}

// A Partitioner splits a data set's rows among n clients.
type Partitioner interface {
	// Split returns the rows of every client: disjoint, none empty, and together all rows,
	// unless the entry says that it drops some. An error says why that cannot be done.
	Split(d *Dataset, n int, rng *rand.Rand) ([][]int, error)
}

// A Preprocessor moves the clients' data once, before the first round. It is never shown
// labels, unless its PreprocessTraits say that it is Labelled.
type Preprocessor interface {
	// Shape says what rows of a shape become; an error says why they do not fit. It changes
	// Features and Image at most.
	Shape(in Shape) (Shape, error)
	// Summarize returns what a client uploads about its training samples; nil: nothing. Its
	// size does not depend on their number.
	Summarize(s *SummaryInput) (Tensors, error)
	// Combine is the server's part: it returns what becomes of all uploads, which every client
	// is sent; nil: nothing.
	Combine(c *CombineInput) (Tensors, error)
	// Transform returns what becomes of rows of one client, each by itself: of its training
	// samples, and in another call of its test samples. It runs for several clients at once.
	Transform(m *TransformInput) (Matrix, error)
}

// A Source yields the training and the test data.
type Source interface {
	// Shape says what Load will return, before anything is read.
	Shape() Shape
	// Load returns the data, which are the caller's to change; test may be nil.
	Load(l *LoadInput) (train, test *Dataset, err error)
}

// A Model maps parameters and inputs to scores. It holds no parameters itself.
type Model interface {
	// For returns the model for data of a shape; the methods below belong to such a
	// model. An error says why it does not fit.
	For(in Shape) (Model, error)
	// Layout names the blocks of the parameter vector.
	Layout() Layout
	// Init returns the parameters θ⁰ to start from.
	Init(rng *rand.Rand) Vector
	// Worker returns scratch space, for one goroutine at a time.
	Worker() Worker
	// Facts says what is known of the loss beyond its gradient.
	Facts() ModelFacts
}

// A Worker evaluates a model.
type Worker interface {
	// Scores fills dst, one row per row of x, with the model's outputs: for each label of the row
	// one after another.
	Scores(dst Matrix, params Vector, x Matrix)
	// Loss returns the mean loss over all rows of d, regularisation included.
	Loss(params Vector, d *Dataset) float64
	// Gradient adds the gradient of the mean loss over the given rows of d, all rows
	// when nil, to grad.
	Gradient(grad, params Vector, d *Dataset, rows []int)
	// Descend trains d.Params. Most leave it to d.Follow; a network has a faster way.
	Descend(d *Descent)
}

// A Metric measures a global model.
type Metric interface {
	Measure(s *Snapshot) (float64, error)
	Unit() string // "%", "B" for bytes, "s"; empty for a plain number
	Higher() bool // whether higher is better
}
