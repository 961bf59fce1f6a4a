package completion

import "github.com/hansa-fl/hansa/framework/fl"

// work is the share of a client's seconds that local steps take, where these are stated as a whole.
type work float64

// newWork declares it.
func newWork(p *fl.Params) work {
	return work(p.Float("work", 0, fl.Closed(0, 1), "share of the seconds that local steps take, "+
		"which partial work shortens; 0: it shortens nothing"))
}

// statesWork reports whether parameters say that steps take time.
func statesWork(params map[string]any) bool {
	share, _ := params["work"].(float64)
	return share > 0
}

// least returns of so many seconds of the k-th that is asked those of one step alone, where
// partial work may leave no more; otherwise all.
func (w work) least(f *fl.Finishing, k int, seconds float64) float64 {
	if !f.Partial || f.Steps[k] < 2 {
		return seconds
	}
	done := seconds * float64(w)
	return seconds - done + done/float64(f.Steps[k])
}
