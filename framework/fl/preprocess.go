package fl

import "math/rand/v2"

// A Spread has several workers do what is long: for k = 0 … n−1, whatever their order, and each
// by itself. It returns the error of the first k that has one. Nil has one worker.
type Spread func(n int, do func(k int) error) error

// Each calls do for 0 … n−1, at once for as many as there are idle workers.
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

// A SummaryInput is what a client that is enrolled is told when it summarises its data for a
// Preprocessor.
type SummaryInput struct {
	Client int
	Data   *Dataset   // its training samples; without Y and Target unless labels may be seen
	RNG    *rand.Rand // of this client alone
	Notes  *Notes     // remarks that become footnotes of the table
	Spread Spread     // for what is long
}

// A CombineInput is what the server is told when it makes one thing of all summaries.
type CombineInput struct {
	Uploads []Update // of the enrolled by ascending client: Client, Samples and Payload
	Shape   Shape    // of the rows that were summarised
	RNG     *rand.Rand
	Notes   *Notes   // remarks that become footnotes of the table
	Folders []string // where files are looked for, in this order

	// Recall is how Once remembers; nil: it does not.
	Recall func(key string, make func() (Tensors, error)) (Tensors, error)
}

// Once returns what make returns, which takes long, or what it returned to whoever asked by the
// same key before: for another cell, or in an earlier run of this program. The key says all that
// the outcome depends on but the program. The outcome is read-only.
func (c *CombineInput) Once(key string, make func() (Tensors, error)) (Tensors, error) {
	if c.Recall == nil {
		return make()
	}
	return c.Recall(key, make)
}

// A TransformInput is what a client is told when it moves rows.
type TransformInput struct {
	Client    int        // whose rows they are; −1 when they are nobody's, as the server's own
	Own       *Dataset   // its training samples, as in SummaryInput; nil when the rows are nobody's
	Rows      Matrix     // to be moved, read-only
	Shape     Shape      // of Rows
	Reference Tensors    // what Combine returned; read-only
	RNG       *rand.Rand // of this client and this call
	Notes     *Notes     // remarks that become footnotes of the table
	Spread    Spread     // for what is long, such as one row after another

	// Blend may be set to have a client train, in epoch s of E from 0, on rows that went a share
	// Blend(s, E) of the way from what they were to what they became. Both have one shape then,
	// and no other preprocessor can follow. What is evaluated is what they became.
	Blend func(epoch, epochs int) float64
}
