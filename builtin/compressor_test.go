package builtin

import (
	"fmt"
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

// compressedBy returns a cell of heterogeneous regression with a compressor, whose six clients make
// three full gradient steps in a round, of 3 parameters.
func compressedBy(rounds int, compressor, aggregator study.Pick) study.Cell {
	c := stepping(rounds, pick("sgd", "steps", int64(3), "lr", 0.02), aggregator, pick("all"))
	c.Picks["compressor"] = compressor
	return c
}

// run is a cell that ended, with its result.
func runCompressed(t *testing.T, c study.Cell) (*engine.Progress, *engine.Result) {
	t.Helper()
	s, _, problems := menu(t).Compose(c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	cell, err := engine.Start(&s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer cell.Close()
	for range s.Rounds {
		if err := cell.Step(); err != nil {
			t.Fatal(err)
		}
	}
	return cell.Checkpoint(), cell.Result()
}

// uniformMean is FedAvg with equal weights, a weighted sum of models that are not kept.
func uniformMean() study.Pick { return pick("fedavg", "weights", "uniform") }

// Compressor none has the bits of a method without a compressor, and its bytes.
//
//hansa:verifies equivalence compressor/none
func TestNoneIsNoCompressor(t *testing.T) {
	for _, rule := range []study.Pick{uniformMean(), pick("coordinate-median")} {
		without := compressedBy(5, pick("none"), rule)
		delete(without.Picks, "compressor")
		want, result := runCompressed(t, without)
		got, its := runCompressed(t, compressedBy(5, pick("none"), rule))
		if !slices.Equal(got.Global, want.Global) || its.Cost.Uploaded != result.Cost.Uploaded ||
			got.Uploaded != want.Uploaded || got.Coded != 0 {
			t.Errorf("compressor none changes %s", rule.Name)
		}
	}
}

// Where all numbers are sent, models end where they end without a compressor, but for float32:
// top-k and random-k of all numbers, QSGD and int8 with a length or a unit for each number, and
// PowerSGD of a rank that saves nothing, for summed models and kept ones.
//
//hansa:verifies equivalence compressor/top-k compressor/random-k compressor/qsgd compressor/int8
//hansa:verifies equivalence compressor/power-sgd
func TestAllNumbersAreNoCompression(t *testing.T) {
	for _, rule := range []study.Pick{uniformMean(), pick("coordinate-median")} {
		want, _ := runCompressed(t, compressedBy(5, pick("none"), rule))
		for _, c := range []study.Pick{pick("top-k", "share", 1.0),
			pick("top-k", "k", int64(99), "feedback", "ef"), pick("random-k", "share", 1.0),
			pick("top-k", "share", 1.0, "feedback", "ef21"),
			pick("random-k", "share", 1.0, "unbiased", false, "feedback", "ef"),
			pick("qsgd", "levels", int64(1), "bucket", int64(1)), pick("int8", "block", int64(1)),
			pick("power-sgd", "rank", int64(9), "feedback", "ef")} {
			got, _ := runCompressed(t, compressedBy(5, c, rule))
			if d := got.Global.Distance(want.Global); !(d < 1e-6) || d == 0 {
				t.Errorf("%s %v, %s: ends %v away", c.Name, c.Params, rule.Name, d)
			}
		}
	}
}

// bitsOf are the bits of an update of 3 numbers, counted by hand.
func bitsOf() map[string]struct {
	of   study.Pick
	bits int64
} {
	type row = struct {
		of   study.Pick
		bits int64
	}
	return map[string]row{
		"an index of 2 bits and a float32, once":           {pick("top-k", "k", int64(1)), 34},
		"the same, with what was lost":                     {pick("top-k", "k", int64(1), "feedback", "ef"), 34},
		"two float32 at known places":                      {pick("random-k", "share", 0.5), 64},
		"three signs and a float32":                        {pick("sign"), 35},
		"three signs":                                      {pick("sign", "step", 0.1), 3},
		"a float32, and three levels of 4 bits with signs": {pick("qsgd"), 32 + 3*5},
		"two float32, as of 3 numbers 2 share one, and levels of 1 bit": {pick("qsgd", "levels",
			int64(1), "bucket", int64(2)), 2*32 + 3*2},
		"a float32 for the only block, and three of 2 bits": {pick("terngrad"), 32 + 3*2},
		"a float32 and three bytes":                         {pick("int8"), 32 + 3*8},
		"three numbers of 16 bits":                          {pick("float16"), 48},
		"the same of bfloat16":                              {pick("bfloat16", "feedback", "ef21"), 48},
		"a weight of one row, which is sent in full":        {pick("power-sgd"), 96},
	}
}

// Uploads are counted in bits, by hand: in the cost, by the metric upload, by client and round, and
// with the payload of a method in full.
func TestBitsAreCounted(t *testing.T) {
	const rounds, clients, parameters = 3, 6, 3
	for what, c := range bitsOf() {
		for _, local := range []string{"sgd", "scaffold"} {
			cell := compressedBy(rounds, c.of, uniformMean())
			full := int64(0)
			if local == "scaffold" {
				cell.Picks["local"] = pick("scaffold", "steps", int64(3), "lr", 0.02)
				cell.Picks["aggregator"] = pick("scaffold")
				full = 4 * parameters * rounds * clients
			}
			cell.Measures = []study.Measure{{Pick: pick("upload"), Key: "upload"}}
			p, r := runCompressed(t, cell)
			bits := c.bits * rounds * clients
			if len(p.Global) != parameters || p.Coded != bits || 4*p.Uploaded != full {
				t.Errorf("%s, %s: %d bits and %d bytes, want %d and %d", what, local, p.Coded,
					4*p.Uploaded, bits, full)
			}
			last := r.Series[0].Values[len(r.Series[0].Values)-1]
			if want := float64(full) + float64(bits)/8; last != want || r.Cost.Upload() != want {
				t.Errorf("%s, %s: upload %v, cost %v, want %v", what, local, last, r.Cost.Upload(),
					want)
			}
		}
	}
	s, _, problems := menu(t).Compose(compressedBy(1, pick("top-k", "k", int64(1)), uniformMean()))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var sent fl.Matrix
	cell, err := engine.Start(&s, engine.Options{Keep: func(_ int, name string, m fl.Matrix) {
		if name == engine.ArraySent {
			sent = m
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer cell.Close()
	if err := cell.Step(); err != nil {
		t.Fatal(err)
	}
	for i := range sent.Rows {
		if row := sent.Row(i); row[1] != 4*parameters || row[2] != 34.0/8 {
			t.Errorf("client %v is sent %v bytes and sends %v", row[0], row[1], row[2])
		}
	}
}

// Virtual time counts the bits of compressed updates, by hand: at 1 Mbit/s, where nothing else
// takes time. So do updates that arrive too late.
//
//hansa:verifies theorem completion/speeds
func TestTimeCountsCompressedUpdates(t *testing.T) {
	const rounds, clients = 2, 6
	sending := pick("speeds", "step", 0.0, "spread", 0.0, "download", 0.0, "upload", 1.0,
		"network_spread", 0.0, "jitter", 0.0)
	late := pick("durations", "seconds", []any{30.0, 10.0, 20.0, 10.0, 45.0, 5.0}, "deadline", 25.0)
	for what, c := range bitsOf() {
		cell := finishingBy(rounds, sending, uniformMean(), pick("all"))
		cell.Picks["compressor"] = c.of
		p, _ := runCompressed(t, cell)
		if want := rounds * float64(c.bits) / 1e6; math.Abs(p.Time/want-1) > 1e-12 {
			t.Errorf("%s: %v seconds, want %v", what, p.Time, want)
		}
		cell.Picks["completion"] = late
		p, r := runCompressed(t, cell)
		if p.Coded != rounds*clients*c.bits || p.Uploaded != 0 || p.Came != rounds*(clients-2) {
			t.Errorf("%s: %d bits and %d numbers of %d updates, want %d bits", what, p.Coded,
				p.Uploaded, p.Came, rounds*clients*c.bits)
		}
		each := fmt.Sprintf(": %.4g bits for each of the 3 numbers", float64(c.bits)/3)
		if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, each) }) {
			t.Errorf("%s: %q", what, r.Notes)
		}
	}
}

// Compressed runs have the same bits with any number of workers and after a resume: with feedback,
// for weighted sums and kept models, beside adversaries and guards, with payloads, and where a part
// of the model stays with clients.
func TestCompressedRunsAreExact(t *testing.T) {
	network := func(c study.Cell) {
		c.Picks["dataset"] = pick("glyphs", "train", int64(60), "test", int64(30))
		c.Picks["partition"] = pick("iid")
		c.Picks["model"] = pick("mlp", "widths", []any{int64(5)})
		c.Picks["local"] = pick("fedper", "epochs", int64(1), "batch", int64(10), "lr", 0.05)
	}
	for _, compressor := range exactly() {
		for what, change := range map[string]func(c study.Cell){
			"sums":   func(study.Cell) {},
			"median": func(c study.Cell) { c.Picks["aggregator"] = pick("coordinate-median") },
			"faulty": func(c study.Cell) {
				c.Picks["adversary"] = pick("sign-flip", "share", 0.2)
				c.Picks["guard"] = pick("adaptive-clip")
			},
			"colluding": func(c study.Cell) { c.Picks["adversary"] = pick("alie", "share", 0.2) },
			"scaffold": func(c study.Cell) {
				c.Picks["local"] = pick("scaffold", "steps", int64(3), "lr", 0.02)
				c.Picks["aggregator"] = pick("scaffold")
			},
			"parts that stay": network,
		} {
			c := compressedBy(4, compressor, uniformMean())
			c.Picks = maps.Clone(c.Picks)
			c.Picks["selection"] = pick("uniform-k", "k", int64(3))
			if change(c); what == "parts that stay" {
				c.Measures = []study.Measure{{Pick: pick("accuracy"), Key: "accuracy"}}
			}
			s, _, problems := menu(t).Compose(c)
			if len(problems) > 0 {
				t.Fatal(what, problems)
			}
			for _, v := range contract.Cell(&s, engine.Options{}) {
				t.Errorf("%s %v, %s: %v", compressor.Name, compressor.Params, what, v)
			}
		}
	}
}

// exactly are compressors that draw or keep something.
func exactly() []study.Pick {
	return []study.Pick{pick("top-k", "share", 0.3, "feedback", "ef"),
		pick("random-k", "share", 0.3, "unbiased", false, "feedback", "ef21"),
		pick("sign", "feedback", "ef"),
		pick("qsgd", "bucket", int64(8)), pick("terngrad", "feedback", "ef"),
		pick("power-sgd", "rank", int64(1), "feedback", "ef")}
}

// What stays with a client is neither sent nor counted, and changes by no compressor.
func TestWhatStaysIsNotCompressed(t *testing.T) {
	c := compressedBy(2, pick("sign"), uniformMean())
	c.Picks["dataset"] = pick("glyphs", "train", int64(60), "test", int64(30))
	c.Picks["partition"] = pick("iid")
	c.Picks["model"] = pick("mlp", "widths", []any{int64(5)})
	c.Picks["local"] = pick("fedper", "epochs", int64(1), "batch", int64(10), "lr", 0.05)
	c.Measures = []study.Measure{{Pick: pick("accuracy"), Key: "accuracy"}}
	s, _, problems := menu(t).Compose(c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	p, _ := runCompressed(t, c)
	stay := fl.Layout{Blocks: s.Personal.Stays}.Len()
	if want := int64(2 * 6 * (s.Model.Layout().Len() - stay + 32)); stay == 0 || p.Coded != want ||
		p.Uploaded != 0 {
		t.Errorf("%d bits and %d numbers, want %d; %d parameters stay", p.Coded, p.Uploaded, want, stay)
	}
}

// With feedback every client comes to the optimum of heterogeneous least squares that it has with
// full updates; by the largest number alone, without feedback, the server stops elsewhere.
//
//hansa:verifies fixed-point compressor/top-k
func TestFeedbackReachesTheFixedPoint(t *testing.T) {
	away := func(c study.Pick) float64 {
		cell := compressedBy(4000, c, uniformMean())
		cell.Picks["local"] = pick("sgd", "steps", int64(1), "lr", 0.02)
		_, _, last := ends(t, cell)
		return last[0]
	}
	top := func(feedback string) study.Pick {
		return pick("top-k", "k", int64(1), "feedback", feedback)
	}
	full, ef21, none := away(pick("none")), away(top("ef21")), away(top("none"))
	if !(full < 1e-10) || !(ef21 < 1e-6) || !(none > 1e-3) {
		t.Errorf("distances to the optimum: %v in full, %v by EF21, %v by top-1 alone", full, ef21,
			none)
	}
}

// A compressor is refused where there is no update of one model to the model that was sent, and its
// parameters where they say nothing.
func TestCompressorsThatDoNotFit(t *testing.T) {
	base := func(c study.Pick) study.Cell { return compressedBy(1, c, uniformMean()) }
	statistics := base(pick("sign"))
	statistics.Picks["dataset"] = pick("glyphs", "train", int64(60), "test", int64(30))
	statistics.Picks["partition"] = pick("iid")
	statistics.Picks["model"] = pick("softmax")
	statistics.Measures = nil
	statistics.Picks["local"], statistics.Picks["aggregator"] = pick("class-moments"), pick("fedcgs")
	apart := base(pick("sign"))
	apart.Initial = "independent"
	for _, c := range []struct {
		cell study.Cell
		want string
	}{
		{statistics, "compressor sign: compresses updates of models, and local class-moments"},
		{apart, `initial = "independent"`},
		{base(pick("none", "feedback", "ef")), `feedback = "ef", and nothing is lost`},
		{base(pick("top-k", "k", int64(2), "share", 0.5)), "share is given too"},
		{base(pick("top-k", "share", 0.0)), "share"},
		{base(pick("sign", "feedback", "eff")), `"eff"`},
		{base(pick("tap-k")), `there is no "tap-k"`},
	} {
		_, _, problems := menu(t).Compose(c.cell)
		if got := problems.Error(); len(problems) == 0 || !strings.Contains(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Signs that clients send make the bits of a majority vote on full updates, for a 32nd of the
// bytes.
//
//hansa:verifies equivalence aggregator/sign-majority compressor/sign
func TestSignsAreEnoughForAVote(t *testing.T) {
	vote := pick("sign-majority", "step", 0.25)
	want, full := runCompressed(t, compressedBy(5, pick("none"), vote))
	got, signs := runCompressed(t, compressedBy(5, pick("sign", "step", 0.25), vote))
	if !slices.Equal(got.Global, want.Global) || 32*signs.Cost.Upload() != full.Cost.Upload() {
		t.Errorf("θ = %v for %v bytes, want %v for %v", got.Global, signs.Cost.Upload(), want.Global,
			full.Cost.Upload())
	}
}

// slow is a compressor that does not compress directly.
type slow struct{ fl.Compressor }

// The code that is written and read again makes the bits of the direct way, in whole runs.
func TestCodesAreWhatIsCompressedDirectly(t *testing.T) {
	for _, c := range append(exactly(), pick("int8"), pick("float16"), pick("bfloat16")) {
		cell := compressedBy(3, c, uniformMean())
		want, _ := runCompressed(t, cell)
		s, _, problems := menu(t).Compose(cell)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		s.Compressor.Component = slow{s.Compressor.Component}
		run, err := engine.Start(&s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range s.Rounds {
			if err := run.Step(); err != nil {
				t.Fatal(err)
			}
		}
		got := run.Checkpoint()
		if run.Close(); !slices.Equal(got.Global, want.Global) || got.Coded != want.Coded {
			t.Errorf("%s: %d bits and θ = %v, directly %d and %v", c.Name, got.Coded, got.Global,
				want.Coded, want.Global)
		}
	}
}

// A result says what updates took, and that payloads are not compressed.
func TestNotesOfCompressors(t *testing.T) {
	cell := compressedBy(2, pick("sign", "step", 0.1), uniformMean())
	_, r := runCompressed(t, cell)
	says := "compressor sign: 1 bits for each of the 3 numbers of an update"
	if !slices.Contains(r.Notes, says) {
		t.Errorf("%q", r.Notes)
	}
	cell.Picks["local"] = pick("scaffold", "steps", int64(3), "lr", 0.02)
	cell.Picks["aggregator"] = pick("scaffold")
	_, r = runCompressed(t, cell)
	if !slices.Contains(r.Notes, says+"; what clients send beside updates is not compressed") {
		t.Errorf("%q", r.Notes)
	}
}

// What feedback keeps of a client lies in its state: as many numbers as are sent.
func TestFeedbackIsKeptByClients(t *testing.T) {
	s, _, problems := menu(t).Compose(compressedBy(2, pick("top-k", "k", int64(1), "feedback", "ef"),
		uniformMean()))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	cell, err := engine.Start(&s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer cell.Close()
	if err := cell.Step(); err != nil {
		t.Fatal(err)
	}
	if clients, bytes := cell.Remembered(); clients != 6 || bytes < 6*3*8 || math.IsNaN(float64(bytes)) {
		t.Errorf("%d clients keep %d bytes", clients, bytes)
	}
}
