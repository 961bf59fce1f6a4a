package contract

import "github.com/hansa-fl/hansa/framework/fl"

// countsStale asks an aggregator about rounds of an asynchronous server.
func countsStale(s *subject[fl.Aggregator]) string {
	return onScenes(func(build fresh, g *stage) string {
		plain, fresh := g.round(), g.round()
		fresh.Staleness = make([]int, len(fresh.Updates))
		first, err := build().Aggregate(plain)
		if err != nil {
			return "error: " + err.Error()
		}
		same, err := build().Aggregate(fresh)
		if err != nil {
			return "with Staleness of 0: error: " + err.Error()
		}
		if d := apart(first.Params, same.Params, 0); d != "" {
			return at("with Staleness of 0", d)
		}
		var twice [2]fl.Outcome
		for k := range twice {
			r := g.round()
			r.Tier, r.Tiers = 1, 2
			for j := range r.Updates {
				r.Staleness = append(r.Staleness, j)
			}
			if twice[k], err = build().Aggregate(r); err != nil {
				return "with stale updates: error: " + err.Error()
			}
			for j, tau := range r.Staleness {
				if tau != j {
					return "with stale updates: Staleness changed"
				}
			}
			if !twice[k].Params.Finite() {
				return "with stale updates: NaN or Inf"
			}
		}
		if d := apart(twice[0].Params, twice[1].Params, 0); d != "" {
			return at("with stale updates, again", d)
		}
		return ""
	})(s)
}
