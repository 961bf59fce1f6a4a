package fl

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// NoAdversary is the Adversary of a setting in which all clients are honest.
type NoAdversary struct{}

var _ Adversary = NoAdversary{}

// Corrupt implements Adversary: there is nothing to corrupt.
func (NoAdversary) Corrupt(*Attack) error { return nil }

// Faulty says which clients an adversary has: of these the first that is given.
type Faulty struct {
	Clients []int   // these, ascending
	Domains []int   // by index: the clients all of whose samples are of one of these domains
	Count   int     // so many of the enrolled clients, drawn at random
	Share   float64 // that share of the enrolled clients, drawn at random
	Redrawn bool    // drawn anew for every round

	// Reported is how many times its samples a faulty client reports to the server, ≥ 1.
	Reported int
}

// Draws returns how many of n enrolled clients are drawn at random: a share is rounded, and one
// above 0 is of at least one client.
func (f *Faulty) Draws(n int) int {
	switch {
	case f.Count > 0:
		return min(f.Count, n)
	case f.Share == 0 || n == 0:
		return 0
	}
	return min(max(int(math.Round(f.Share*float64(n))), 1), n)
}

// usualShare is the share of faulty clients where a setting does not say which are.
const usualShare = 0.2

// NewFaulty declares which clients an adversary has.
func NewFaulty(p *Params) Faulty {
	f := Faulty{
		Share: p.Float("share", usualShare, Closed(0, 1), "share of the enrolled clients that are "+
			"faulty, drawn at random; rounded, at least one where it is not 0"),
		Count: p.Int("count", 0, AtLeast(0), "number of faulty clients, drawn at random among "+
			"those enrolled, instead of a share; 0: by share"),
		Clients: p.Ints("clients", nil, AtLeast(0), "the faulty clients, by number, instead"),
	}
	names := p.Texts("domains", "clients with samples of these domains alone are faulty, instead")
	f.Redrawn = p.Choice("drawn", "run", "faulty clients are drawn once, or anew for every round",
		"run", "round") == "round"
	f.Reported = p.Int("reported", 1, Closed(1, 1_000_000), "how many times its samples a faulty "+
		"client reports, to count for more where weights are by samples")
	p.Later("reported")
	slices.Sort(f.Clients)
	f.Clients = slices.Compact(f.Clients)
	s := p.Setting()
	if !s.Known() {
		return f
	}
	for k, i := range f.Clients {
		if i >= s.Clients {
			p.Fail(fmt.Sprintf("clients[%d]", k), "there is no client %d: there are %d, counted "+
				"from 0", i, s.Clients)
		}
	}
	for _, name := range names {
		k := slices.Index(s.Shape.Domains, name)
		if k < 0 {
			p.Fail("domains", "there is no domain %q; the data have: %s", name,
				cmp.Or(strings.Join(s.Shape.Domains, ", "), "none"))
		}
		f.Domains = append(f.Domains, k)
	}
	if f.Count > s.Clients {
		p.Fail("count", "%d of %d clients", f.Count, s.Clients)
	}
	f.clash(p)
	return f
}

// clash refuses two ways to say which clients are faulty.
func (f *Faulty) clash(p *Params) {
	given := ""
	for _, way := range []struct {
		name string
		used bool
	}{{"clients", f.Clients != nil}, {"domains", f.Domains != nil}, {"count", f.Count > 0},
		{"share", f.Share != usualShare}} {
		switch {
		case !way.used:
		case given == "":
			given = way.name
		default:
			p.Clash(way.name, given, "%s is given too; leave one of them out", given)
		}
	}
	if f.Redrawn && (f.Clients != nil || f.Domains != nil) {
		p.Clash("drawn", given, "faulty clients are named, not drawn")
	}
}
