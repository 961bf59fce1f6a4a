package availability

import (
	"encoding/binary"

	"github.com/hansa-fl/hansa/framework/fl"
)

// mixed returns the law of a round that has each of these laws with its share. Its cohorts are
// listed where all of them list theirs, and are not too many; its probabilities are exact anyhow.
func mixed(laws []fl.Law, shares fl.Vector, n int) fl.Law {
	out := fl.Law{Exact: true, Inclusion: make(fl.Vector, n)}
	listed, members := true, 0
	for k := range laws {
		out.Empty += shares[k] * laws[k].Empty
		out.Inclusion.AddScaled(shares[k], laws[k].Inclusion)
		listed = listed && (laws[k].Sets != nil || laws[k].Empty == 1)
		for _, set := range laws[k].Sets {
			members += len(set)
		}
	}
	out.Empty = min(1, out.Empty)
	for i, pi := range out.Inclusion { // rounding may leave the interval
		out.Inclusion[i] = min(1, pi)
	}
	if !listed || members > mostMembers {
		return out
	}
	at, key := map[string]int{}, []byte(nil)
	for k := range laws {
		share := shares[k] * (1 - laws[k].Empty)
		for j, set := range laws[k].Sets {
			key = key[:0]
			for _, i := range set {
				key = binary.AppendUvarint(key, uint64(i))
			}
			m, known := at[string(key)]
			if !known {
				m = len(out.Sets)
				at[string(key)] = m
				out.Sets, out.Q = append(out.Sets, set), append(out.Q, 0)
			}
			out.Q[m] += share * laws[k].Q[j]
		}
	}
	if len(out.Sets) > 0 {
		out.Q.Scale(1 / out.Q.Sum())
	}
	return out
}

// told makes a law say its cohorts and inclusion probabilities where it says Everyone.
func told(law fl.Law, n int) fl.Law {
	if !law.Everyone {
		return law
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return fl.Law{Exact: law.Exact, Memoryless: law.Memoryless, Sets: [][]int{all},
		Q: fl.Vector{1}, Inclusion: constant(n, 1)}
}
