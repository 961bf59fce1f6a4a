package fl

import "math/rand/v2"

// A Spread runs a long computation on several workers: do(k) for k = 0 … n−1, in any order, each on
// its own. It returns the error of the first k that has one. Nil: one worker.
type Spread func(n int, do func(k int) error) error

// Each calls do for 0 … n−1, concurrently on the idle workers.
func (s Spread) Each(n int, do func(k int) error) error {
	if s != nil {
		return s(n, do)
	}
	for k := range n {
		if err := do(k); err != nil {
			return err
		}
	}
	return nil
}

// A SummaryInput is what an enrolled client has to summarise its data for a Preprocessor.
type SummaryInput struct {
	Client int
	Data   *Dataset   // its training samples; without Y and Target unless labels may be seen
	RNG    *rand.Rand // of this client alone
	Notes  *Notes     // remarks that become footnotes of the table
	Spread Spread     // for long computations
}

// A CombineInput is what the server has to combine all summaries.
type CombineInput struct {
	Uploads []Update // of enrolled clients, ascending by client: Client, Samples and Payload
	Shape   Shape    // of the rows that were summarised
	RNG     *rand.Rand
	Notes   *Notes   // remarks that become footnotes of the table
	Folders []string // where files are looked for, in this order

	// Recall is the cache of Once; nil: none.
	Recall func(key string, make func() (Tensors, error)) (Tensors, error)
}

// Once returns the result of make, which is slow, or the cached result of an earlier call with the
// same key: by another cell, or in an earlier run of this program. The key contains all inputs on
// which the result depends, but for the program itself. The result is read-only.
func (c *CombineInput) Once(key string, make func() (Tensors, error)) (Tensors, error) {
	if c.Recall == nil {
		return make()
	}
	return c.Recall(key, make)
}

// A TransformInput is what a client has to transform rows.
type TransformInput struct {
	Client    int        // the client whose rows they are; −1: none's, such as the server's own
	Own       *Dataset   // its training samples, as in SummaryInput; nil when Client is −1
	Rows      Matrix     // rows to transform, read-only
	Shape     Shape      // of Rows
	Reference Tensors    // what Combine returned; read-only
	RNG       *rand.Rand // of this client and this call
	Notes     *Notes     // remarks that become footnotes of the table
	Spread    Spread     // for long computations, such as row after row

	// Blend may be set for training on blended rows: in epoch s of E, from 0, a row is (1 − b)
	// times the old one plus b times the new one, with b = Blend(s, E). Old and new rows then have
	// the same shape, and no other preprocessor can follow. Evaluation uses the new rows.
	Blend func(epoch, epochs int) float64
}
