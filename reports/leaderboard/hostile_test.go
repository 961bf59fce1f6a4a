package leaderboard

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/reports/table"
)

// A file whose checksum is right, and of which one value is another one, is a site or an error: for
// every value of a small file.
func TestHostileFilesAreErrors(t *testing.T) {
	small := identified(example(1))
	in := &small.Runs[0].Input
	for i := len(in.Cells) - 1; i >= 0; i-- {
		if m := in.Cells[i].Method; in.Cells[i].Seed > 2 || m != "FedAvg" && m != "good" {
			in.Cells, in.IDs = slices.Delete(in.Cells, i, i+1), slices.Delete(in.IDs, i, i+1)
		}
	}
	in.Hash = ""
	r, err := NewRecord(small.Runs[0], table.ClaimSet{})
	if err != nil {
		t.Fatal(err)
	}
	r.Audits = map[string]Audited{in.IDs[0]: {Clients: 3, Rounds: 2}}
	r.Tuning = long().Runs[0].Tuning
	text, err := Encode([]*Record{r})
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Runs []any }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	tried, read := 0, 0
	var walk func(at string, v any, set func(v any))
	try := func(at string, v any) {
		defer func() {
			if p := recover(); p != nil {
				t.Errorf("%s = %v: %v", at, v, p)
			}
		}()
		runs, err := json.Marshal(file.Runs)
		if err != nil {
			t.Fatal(err)
		}
		content := formHead + form + sumHead + noSum() + runsHead + string(runs[1:]) + "}\n"
		tried++
		records, err := Decode(sealed([]byte(content)))
		if err != nil {
			return
		}
		read++
		b := boardOf(&Board{}, records)
		b.Audits = records[0].Audits
		_, _ = Files(b) // it may say that there is nothing to compare
	}
	walk = func(at string, v any, set func(v any)) {
		for _, other := range []any{nil, -1, 99, "x", []any{}, map[string]any{}} {
			set(other)
			try(at, other)
		}
		set(v)
		switch v := v.(type) {
		case []any:
			for i := range min(len(v), 4) {
				walk(fmt.Sprintf("%s[%d]", at, i), v[i], func(x any) { v[i] = x })
			}
		case map[string]any:
			for key, one := range v {
				walk(at+"."+key, one, func(x any) { v[key] = x })
			}
		}
	}
	walk("runs[0]", file.Runs[0], func(v any) { file.Runs[0] = v })
	if tried < 500 || read < 50 {
		t.Errorf("%d files, of which %d were read", tried, read)
	}
}
