package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/store"
)

// The size of run for which a table should take less than a second.
const (
	manyMethods = 20
	manyPoints  = 10
	manySeeds   = 5 // 1,000 cells in all
	manyRounds  = 1000
)

// bigSetting is what all of its cells have in common, but for the numbers of seeds and rounds.
const bigSetting = `title = "Big"
seeds = %d
[setting]
clients      = 20
rounds       = %d
dataset      = { name = "regression", features = 10, samples_per_client = 50 }
partition    = "natural"
importance   = "samples"
model        = "linear"
aggregator   = { name = "fedavg", weights = "samples" }
availability = "always"
metrics      = ["suboptimality", "loss", "upload"]
`

// bigRun makes a run of 1,000 cells with 1,000 rounds of three metrics each, which were
// not trained, below the folder that it changes to.
func bigRun(tb testing.TB) {
	tb.Helper()
	tb.Chdir(tb.TempDir())
	var b strings.Builder
	fmt.Fprintf(&b, bigSetting, manySeeds, manyRounds)
	b.WriteString("[sweep]\n\"local.steps\" = [1")
	for p := range manyPoints - 1 {
		fmt.Fprintf(&b, ", %d", p+2)
	}
	b.WriteString("]\n")
	for m := range manyMethods {
		fmt.Fprintf(&b, "[[method]]\nlabel = \"method %d\"\n"+
			"local = { name = \"sgd\", lr = %g }\n", m, 0.1/float64(m+1))
	}
	b.WriteString("[report]\nbaseline = \"method 0\"\n")
	if err := os.WriteFile("big.toml", []byte(b.String()), 0o666); err != nil {
		tb.Fatal(err)
	}
	x, err := session.Read("big.toml", &session.Overrides{})
	if err != nil {
		tb.Fatal(err)
	}
	j, err := new(session.Session).NewRun(x, filepath.Join("runs", "big"), "hansa run big.toml")
	if err != nil {
		tb.Fatal(err)
	}
	run := j.Run
	rng := rand.New(rand.NewPCG(1, 1))
	for i, id := range x.IDs {
		if err := run.Put(untrained(id, x.Cells[i].Seed, rng)); err != nil {
			tb.Fatal(err)
		}
		if err := run.SaveAttempt(id, &store.Attempt{Seconds: 1}); err != nil {
			tb.Fatal(err)
		}
	}
}

// untrained returns a result with random numbers.
func untrained(id string, seed uint64, rng *rand.Rand) *engine.Result {
	r := &engine.Result{ID: id, Seed: seed, Series: []engine.Series{
		{Key: "suboptimality"}, {Key: "loss"}, {Key: "upload", Unit: "B"}}}
	r.Law.Exact = true
	for t := range manyRounds + 1 {
		r.Rounds = append(r.Rounds, t)
		for k := range r.Series {
			r.Series[k].Values = append(r.Series[k].Values, rng.Float64())
		}
	}
	return r
}

// BenchmarkTable measures the table of 1,000 cells × 1,000 rounds.
func BenchmarkTable(b *testing.B) {
	bigRun(b)
	b.ReportAllocs()
	for b.Loop() {
		if code := hansa(context.Background(), io.Discard, os.Stderr,
			[]string{"table", "big"}); code != 0 {
			b.Fatal(code)
		}
	}
}
