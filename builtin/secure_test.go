package builtin

import (
	"math"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/privacy"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry/contract"
)

// ε of noise that clients share is that of its own bound, to the bit: amplified by uniform cohorts
// of one size, and by nothing else, however clients participate.
//
//hansa:verifies theorem metrics/epsilon aggregator/dp-ddgauss aggregator/dp-skellam
func TestEpsilonOfShares(t *testing.T) {
	for name, c := range map[string]struct {
		clients                 int
		availability, selection study.Pick
		rate                    float64
		rounds, largest         int
		claim                   string
	}{
		"cohorts": {40, pick("always"), pick("uniform-k", "k", int64(10)), 0.25, 6, 10,
			"amplified: a cohort of 10 is drawn uniformly from 40"},
		"everyone": {8, pick("always"), pick("all"), 1, 6, 8, "every client"},
		"turns": {8, pick("cyclic", "blocks", int64(3)), pick("all"), 1, 2, 3,
			"not amplified: availability does not draw"},
	} {
		for _, law := range []string{"dp-ddgauss", "dp-skellam"} {
			p, s, got := ends(t, spending(c.clients, 6, c.availability, c.selection,
				pick(law, "noise", 3.0, "bits", int64(14))))
			d := privacy.Distributed{Skellam: law == "dp-skellam", Noise: 3, Clients: c.largest,
				Dim: privacy.Padded(s.Model.Layout().Len()), Bits: 14, Range: 4,
				Bias: math.Exp(-0.5)}
			r, err := privacy.NewRDP()
			if err == nil {
				err = r.AddDistributed(d, 2, c.rate, c.rounds)
			}
			if err != nil {
				t.Fatal(err)
			}
			want, err := r.Epsilon(1e-5)
			if err != nil || got[0] != want.Epsilon {
				t.Errorf("%s, %s: ε = %v, want %v (%v)", name, law, got[0], want.Epsilon, err)
			}
			notes := strings.Join(p.Notes.List(), "\n")
			if !strings.Contains(notes, c.claim) || !strings.Contains(notes, "by Rényi divergences") {
				t.Errorf("%s: claims %q", name, notes)
			}
		}
	}
	// What the server adds is worth as much, but for rounding, where both are bounded the same way.
	everyone := func(aggregator study.Pick) float64 {
		_, _, got := ends(t, spending(8, 6, pick("always"), pick("all"), aggregator, "accountant",
			"rdp"))
		return got[0]
	}
	server, shared := everyone(pick("dp-fedavg", "noise", 3.0)),
		everyone(pick("dp-ddgauss", "noise", 3.0, "bits", int64(16)))
	if shared < server || shared > 1.001*server {
		t.Errorf("ε = %v of shares, and %v of the server's noise", shared, server)
	}
}

// Where the number of clients that add noise is random, nothing is amplified; with neighbours of
// which one has a client more, there is no account; and without noise ε is infinite.
func TestSharesClaimNoMore(t *testing.T) {
	c := spending(8, 4, pick("bernoulli", "rate", 0.5), pick("all"), pick("dp-skellam", "clients",
		int64(8)))
	p, _, _ := ends(t, c)
	if notes := strings.Join(p.Notes.List(), "\n"); !strings.Contains(notes,
		"not amplified: clients add the noise, and how many participate is random") {
		t.Errorf("claims %q", notes)
	}
	s, _, problems := menu(t).Compose(spending(8, 3, pick("always"), pick("all"),
		pick("dp-ddgauss"), "adjacency", "add-or-remove-one"))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if _, err := engine.Start(&s, engine.Options{}); err == nil ||
		!strings.Contains(err.Error(), "one client more adds noise") {
		t.Errorf("%v", err)
	}
	_, _, without := ends(t, spending(8, 3, pick("always"), pick("all"), pick("dp-ddgauss", "noise",
		0.0)))
	if !math.IsInf(without[0], 1) {
		t.Errorf("without noise ε = %v", without[0])
	}
}

// An update is counted as b bits for each coordinate, padded to a power of 2.
func TestSecureUploadIsCounted(t *testing.T) {
	c := spending(8, 3, pick("always"), pick("all"), pick("dp-ddgauss", "bits", int64(13)))
	c.Measures = []study.Measure{{Pick: pick("upload"), Key: "upload"}}
	_, s, got := ends(t, c)
	n := privacy.Padded(s.Model.Layout().Len())
	if want := float64(3 * 8 * 13 * n); got[0]*8 != want {
		t.Errorf("%v bits, want %v for %d coordinates", got[0]*8, want, n)
	}
}

// What changes single updates is refused before a server that gets their sum alone.
func TestSecureSumStandsAlone(t *testing.T) {
	for says, change := range map[string]func(c *study.Cell){
		"guard nnm: changes updates": func(c *study.Cell) { c.Picks["guard"] = pick("nnm") },
		"compressor qsgd: has a code": func(c *study.Cell) {
			c.Picks["compressor"] = pick("qsgd")
		},
	} {
		c := spending(8, 3, pick("always"), pick("all"), pick("dp-ddgauss"))
		c.Measures = nil
		change(&c)
		_, _, problems := menu(t).Compose(c)
		if len(problems) != 1 || !strings.Contains(problems[0].Message, says) {
			t.Errorf("%v, want %q", problems, says)
		}
	}
}

// A cell with shares has the same bits with any number of workers, and stopped after any round.
func TestSharesAreExact(t *testing.T) {
	for _, law := range []string{"dp-ddgauss", "dp-skellam"} {
		c := spending(6, 8, pick("markov", "rate", 0.3), pick("all"), pick(law, "clients", int64(6)),
			"accountant", "rdp")
		c.Every = 1
		s, _, problems := menu(t).Compose(c)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		for _, v := range contract.Cell(&s, engine.Options{}) {
			t.Error(v)
		}
	}
}
