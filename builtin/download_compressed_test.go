package builtin

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry/contract"
)

// downloadedBy returns the cell of compressedBy with a compressor of models.
func downloadedBy(rounds int, download, aggregator study.Pick) study.Cell {
	c := compressedBy(rounds, pick("none"), aggregator)
	c.Picks["download"] = download
	return c
}

// Download none has the bits and the bytes of a method without it.
//
//hansa:verifies equivalence compressor/none
func TestNoneIsNoDownloadCompressor(t *testing.T) {
	for _, rule := range []study.Pick{uniformMean(), pick("coordinate-median")} {
		want, result := runCompressed(t, compressedBy(5, pick("none"), rule))
		got, its := runCompressed(t, downloadedBy(5, pick("none"), rule))
		if !slices.Equal(got.Global, want.Global) || got.Shadow != nil ||
			its.Cost.Download() != result.Cost.Download() {
			t.Errorf("download none changes %s", rule.Name)
		}
	}
}

// Where all numbers of differences are sent, models end where they end without, but for float32.
//
//hansa:verifies equivalence compressor/top-k compressor/random-k compressor/int8
//hansa:verifies equivalence compressor/power-sgd
func TestAllNumbersAreNoDownloadCompression(t *testing.T) {
	for _, rule := range []study.Pick{uniformMean(), pick("coordinate-median")} {
		want, _ := runCompressed(t, compressedBy(5, pick("none"), rule))
		for _, c := range []study.Pick{pick("top-k", "share", 1.0), pick("random-k", "share", 1.0),
			pick("int8", "block", int64(1), "rounding", "nearest"),
			pick("power-sgd", "rank", int64(9))} {
			got, _ := runCompressed(t, downloadedBy(5, c, rule))
			if d := got.Global.Distance(want.Global); !(d < 1e-6) || d == 0 {
				t.Errorf("%s %v, %s: ends %v away", c.Name, c.Params, rule.Name, d)
			}
		}
	}
}

// An overhearing local rule notes what its clients are sent and what they make of it.
type overhearing struct {
	rule fl.LocalRule
	sent *[]fl.Vector // by client and round
	made *[]fl.Vector // changes
}

// Run implements fl.LocalRule.
func (w overhearing) Run(t *fl.Task) (fl.Update, error) {
	*w.sent = append(*w.sent, t.Global.Clone())
	u, err := w.rule.Run(t)
	change := u.Params.Clone()
	change.Sub(t.Global)
	*w.made = append(*w.made, change)
	return u, err
}

// Clients train from x̂ᵗ = x̂ᵗ⁻¹ + C(θᵗ − x̂ᵗ⁻¹), of which C is the largest number here, and the
// server adds the mean of their changes to θᵗ, by hand.
//
//hansa:verifies equivalence compressor/top-k
func TestClientsTrainFromTheShadow(t *testing.T) {
	const rounds, clients = 6, 6
	s, _, problems := menu(t).Compose(downloadedBy(rounds, pick("top-k", "k", int64(1)),
		uniformMean()))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var sent, made []fl.Vector
	s.Local = overhearing{s.Local, &sent, &made}
	cell, err := engine.Start(&s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer cell.Close()
	model := cell.Checkpoint().Global
	shadow := model.Clone()
	for round := range rounds {
		if err := cell.Step(); err != nil {
			t.Fatal(err)
		}
		if round > 0 {
			at, most := 0, 0.0
			for j := range model {
				if d := math.Abs(model[j] - shadow[j]); d > most {
					at, most = j, d
				}
			}
			shadow[at] += fl.RoundFloat32(model[at] - shadow[at])
		}
		for i := range clients {
			if got := sent[round*clients+i]; !slices.Equal(got, shadow) {
				t.Fatalf("round %d: client %d is sent %v, want %v", round, i, got, shadow)
			}
			model.AddScaled(1.0/clients, made[round*clients+i])
		}
		if d := cell.Checkpoint().Global.Distance(model); !(d < 1e-12) {
			t.Fatalf("round %d: the model is %v away", round, d)
		}
	}
}

// everySo is a selection of client 0 in all rounds, and of client i > 0 in every (i+1)-th.
type everySo struct{ fl.Selection }

// Select implements fl.Selection.
func (everySo) Select(d *fl.SelectionInput) (list []int) {
	for _, i := range d.Available {
		if d.T%(i+1) == 0 {
			list = append(list, i)
		}
	}
	return list
}

// A client is sent what it lacks: a difference of 34 bits for each round since it was sent the
// model, or the whole model of 96 bits where that is less. By hand: the client of every round 96 +
// 34·11, that of every second one 96 + 68·5, and others, which lack three or more, 96 each time.
//
//hansa:verifies equivalence compressor/top-k
func TestDownloadsAreWhatClientsLack(t *testing.T) {
	cell := downloadedBy(12, pick("top-k", "k", int64(1)), uniformMean())
	cell.Law = false
	cell.Measures = []study.Measure{{Pick: pick("download"), Key: "download"}}
	s, _, problems := menu(t).Compose(cell)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	s.Selection = everySo{s.Selection}
	sent := map[int]float64{}
	run, err := engine.Start(&s, engine.Options{Keep: func(_ int, name string, m fl.Matrix) {
		for r := range m.Rows {
			if name == engine.ArraySent {
				sent[int(m.Row(r)[0])] += m.Row(r)[1]
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	for range s.Rounds {
		if err := run.Step(); err != nil {
			t.Fatal(err)
		}
	}
	want, total := map[int]float64{0: (96 + 34*11) / 8.0, 1: (96 + 68*5) / 8.0, 2: 4 * 12,
		3: 3 * 12, 4: 3 * 12, 5: 2 * 12}, 0.0
	for i, bytes := range want {
		if total += bytes; sent[i] != bytes {
			t.Errorf("client %d is sent %v bytes, want %v", i, sent[i], bytes)
		}
	}
	r := run.Result()
	values := r.Series[0].Values
	if values[len(values)-1] != total || r.Cost.Download() != total {
		t.Errorf("download %v, cost %v, want %v", values[len(values)-1], r.Cost.Download(), total)
	}
	const says = "download top-k: 11.33 bits for each of the 3 numbers of a difference"
	if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.HasPrefix(n, says) }) {
		t.Errorf("%q", r.Notes)
	}
}

// By the largest number of each difference clients and server come to the optimum that they have
// with full models: what is lost of a difference is part of the next one. So they do by unbiased
// levels that lose more than there is, as these are scaled down.
//
//hansa:verifies fixed-point compressor/top-k compressor/random-k compressor/qsgd compressor/sign
func TestDownloadsReachTheFixedPoint(t *testing.T) {
	for _, c := range []study.Pick{pick("none"), pick("top-k", "k", int64(1)), pick("sign"),
		pick("int8"), pick("random-k", "k", int64(1)), pick("qsgd", "levels", int64(1))} {
		cell := downloadedBy(4000, c, uniformMean())
		cell.Picks["local"] = pick("sgd", "steps", int64(1), "lr", 0.02)
		if _, _, last := ends(t, cell); !(last[0] < 1e-6) {
			t.Errorf("%s: %v from the optimum", c.Name, last[0])
		}
	}
}

// Cells with compressed models have the same bits with any number of workers and after they resume:
// of summed models, of kept ones, of selections that ask first, beside compressed updates, and of
// an asynchronous server with and without stale models.
func TestCompressedDownloadsAreExact(t *testing.T) {
	late := pick("speeds", "concurrency", int64(3), "take", int64(2))
	for what, change := range map[string]func(c *study.Cell){
		"mean":   func(*study.Cell) {},
		"median": func(c *study.Cell) { c.Picks["aggregator"] = pick("coordinate-median") },
		"asks": func(c *study.Cell) {
			c.Law = false
			c.Picks["selection"] = pick("power-of-choice", "k", int64(2), "d", int64(4))
		},
		"norms": func(c *study.Cell) {
			c.Law = false
			c.Picks["selection"] = pick("importance-sampling", "k", int64(2))
			c.Picks["aggregator"] = pick("fedavg", "weights", "stated")
		},
		"up": func(c *study.Cell) {
			c.Picks["compressor"] = pick("top-k", "share", 0.3, "feedback", "ef")
		},
		"asynchronous": func(c *study.Cell) { c.Law, c.Picks["completion"] = false, late },
		"fedasync": func(c *study.Cell) {
			c.Law, c.Picks["completion"] = false, late
			c.Picks["aggregator"] = pick("fedasync")
		},
	} {
		for _, compressor := range []study.Pick{pick("top-k", "share", 0.3), pick("qsgd"),
			pick("random-k", "share", 0.3), pick("power-sgd", "rank", int64(1))} {
			c := downloadedBy(7, compressor, uniformMean())
			change(&c)
			s, _, problems := menu(t).Compose(c)
			if len(problems) > 0 {
				t.Fatal(what, problems)
			}
			for _, v := range contract.Cell(&s, engine.Options{}) {
				t.Errorf("%s, %s: %v", compressor.Name, what, v)
			}
		}
	}
}

// An asynchronous server whose clients all train at once and are equally fast sends what a
// synchronous one does: the same bits of models, and as many of them.
//
//hansa:verifies equivalence compressor/top-k compressor/qsgd
func TestDownloadsOfAsynchronousServers(t *testing.T) {
	for _, c := range []study.Pick{pick("top-k", "k", int64(1)), pick("qsgd")} {
		want, result := runCompressed(t, downloadedBy(8, c, uniformMean()))
		cell := downloadedBy(8, c, uniformMean())
		cell.Law = false
		cell.Picks["completion"] = pick("durations", "seconds", []any{5.0, 5.0, 5.0, 5.0, 5.0, 5.0},
			"concurrency", int64(6), "take", int64(6))
		got, its := runCompressed(t, cell)
		if !slices.Equal(got.Global, want.Global) || got.Time != 40 ||
			its.Cost.Download() != result.Cost.Download() {
			t.Errorf("%s: θ = %v for %v bytes after %v s, want %v for %v", c.Name, got.Global,
				its.Cost.Download(), got.Time, want.Global, result.Cost.Download())
		}
	}
}

// What stays with a client is part of no difference.
func TestDownloadsLeaveOutWhatStays(t *testing.T) {
	c := downloadedBy(3, pick("sign"), uniformMean())
	c.Picks = maps.Clone(c.Picks)
	c.Picks["dataset"] = pick("glyphs", "train", int64(60), "test", int64(30))
	c.Picks["partition"] = pick("iid")
	c.Picks["model"] = pick("mlp", "widths", []any{int64(5)})
	c.Picks["local"] = pick("fedper", "epochs", int64(1), "batch", int64(10), "lr", 0.05)
	c.Measures = []study.Measure{{Pick: pick("accuracy"), Key: "accuracy"}}
	s, _, problems := menu(t).Compose(c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	_, r := runCompressed(t, c)
	n := s.Model.Layout().Len() - fl.Layout{Blocks: s.Personal.Stays}.Len()
	if want := float64(6*4*n) + float64(6*2*(n+32))/8; r.Cost.Download() != want {
		t.Errorf("%v bytes, want %v", r.Cost.Download(), want)
	}
}

// A compressor of models is refused where clients are sent none, and has no feedback.
func TestDownloadsThatDoNotFit(t *testing.T) {
	apart := downloadedBy(1, pick("sign"), uniformMean())
	apart.Initial = "independent"
	for want, cell := range map[string]study.Cell{
		`initial = "independent"`: apart,
		"feedback":                downloadedBy(1, pick("sign", "feedback", "ef"), uniformMean()),
		`there is no "sing"`:      downloadedBy(1, pick("sing"), uniformMean()),
		"download top-k: k":       downloadedBy(1, pick("top-k", "k", int64(-1)), uniformMean()),
	} {
		_, _, problems := menu(t).Compose(cell)
		if got := problems.Error(); len(problems) == 0 || !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
