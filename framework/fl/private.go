package fl

import "fmt"

// A Release is what a private aggregator releases in a round: one whose AggregatorTraits have
// Private.
type Release struct {
	// Noise is the standard deviation of the noise on a sum, in clipping radii.
	Noise float64
	// Tree says that sums are over all rounds so far, and that Noise is of each node of the tree
	// from which their noise comes; otherwise each sum is of one round and has noise of its own.
	Tree bool
	// Restart is after how many rounds a new tree begins; 0: there is one for all. Completed says
	// that the noise of a tree that ended is that of one node, which is released besides.
	Restart   int
	Completed bool
	// Shares say how clients add the noise to sums of integers; nil: the server adds it.
	Shares *Shares
}

// Shares are how clients add noise to what is summed modulo 2^Bits, each its share.
type Shares struct {
	Law     string  // of a share: DiscreteGaussian or Skellam
	Clients int     // the largest cohort; 0: the expected size of a cohort
	Bits    int     // of an element
	Range   float64 // how many standard deviations of a coordinate of the sum the elements hold
	Bias    float64 // β of conditional rounding, in [0, 1)
}

// The laws of shares.
const (
	DiscreteGaussian = "discrete-gaussian"
	Skellam          = "skellam"
)

// A Draw is the law by which cohorts are drawn, where it is one that amplifies differential
// privacy: the same in every round, independent of other rounds and of all data.
type Draw struct {
	// Rate > 0: clients participate independently of each other, each with this probability at
	// most.
	Rate float64
	// Size > 0: all cohorts of Size of the Of clients that are enrolled are equally likely.
	Size, Of int
	// Why there is no such law that holds; empty: there is one of the two.
	Why string
}

// String says what is claimed, in a sentence without a full stop.
func (d Draw) String() string {
	switch {
	case d.Why != "":
		return "not amplified by sampling: " + d.Why
	case d.Rate == 1 || d.Rate == 0 && d.Size == d.Of:
		return "not amplified by sampling: every client participates in every round"
	case d.Rate > 0:
		return fmt.Sprintf("amplified by sampling: clients participate independently, each with "+
			"probability %.4g at most", d.Rate)
	}
	return fmt.Sprintf("amplified by sampling: cohorts of %d are drawn uniformly from %d clients",
		d.Size, d.Of)
}

// An Exposure is what a private aggregator released in the rounds so far, and how clients
// participated in them.
type Exposure struct {
	Release
	Draw
	Rounds int // played
	// Expected is the expected size of a cohort; 0: the server does not know the law.
	Expected float64
	// Most is the largest number of rounds in which one client was available, and Separation the
	// least number of rounds from one of them to the next, of any client; 1 where none had two.
	// Both are 0 where Draw amplifies and there is no Tree: then they are not needed.
	Most, Separation int
}
