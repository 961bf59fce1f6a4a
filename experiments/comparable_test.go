package experiments

import (
	"fmt"
	"testing"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/table"
	"github.com/hansa-fl/hansa/reports/verdict"
)

// apart are rows of experiments here that measure something else than their column.
var apart = map[string]string{
	"barycenter/cast.toml: no casts in accuracy":          "its test pictures have no casts",
	"barycenter/cast.toml: no casts in training accuracy": "nor do its training pictures",
	"barycenter/cast.toml: no casts in worst client":      "so have those of its worst client",
	"training/cifar-cnn.toml: Dirichlet 0.3 in training accuracy": "it is a mean over clients " +
		"that have other rows",
}

// Methods of an experiment are measured alike, so that their numbers can be compared; where
// they are not, the report says that it goes across that, or it is listed here.
func TestExperimentsCompareLikeWithLike(t *testing.T) {
	reg := new(registry.Registry)
	if err := builtin.Register(reg); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, file := range files(t) {
		spec, err := study.Read(file, study.Overrides{})
		if err != nil {
			t.Fatal(err)
		}
		cells, setups := compose(t, file)
		in := infer.Input{Cells: cells, Report: spec.Report, Quantity: reg.Quantity}
		for i := range setups {
			in.IDs = append(in.IDs, setups[i].ID)
		}
		tables, err := table.Build(in)
		if err != nil {
			t.Fatal(err)
		}
		across := false
		for _, tab := range tables {
			for _, row := range tab.Rows {
				for c, cell := range row.Cells {
					if cell.State == table.Absent || cell.Comparable {
						continue
					}
					across = true
					where := fmt.Sprintf("%s: %s in %s", file, row.Method, tab.Columns[c].Metric)
					if seen[where] = true; !tab.Across && apart[where] == "" {
						t.Errorf("%s: %v", where, cell.Differs)
					}
				}
			}
		}
		if spec.Report.Across && !across {
			t.Errorf("%s: across = true, and there is nothing across which it goes", file)
		}
		claimsCanBeJudged(t, spec, &in, setups)
	}
	for where := range apart {
		if !seen[where] {
			t.Errorf("%s: is listed and comparable", where)
		}
	}
}

// claimsCanBeJudged checks that claims compare like with like, too, and that results decide them.
func claimsCanBeJudged(t *testing.T, spec *study.Spec, in *infer.Input, setups []engine.Setup) {
	t.Helper()
	reg := new(registry.Registry)
	if err := builtin.Register(reg); err != nil {
		t.Fatal(err)
	}
	scale := func(i int, metric string) (verdict.Scale, bool) {
		for k, m := range setups[i].Measures {
			if m.Key == metric {
				s := verdict.Scale{Higher: m.Metric.Higher(), Describes: m.Describes}
				s.Low, s.High = reg.Range(&in.Cells[i], &in.Cells[i].Measures[k])
				return s, true
			}
		}
		return verdict.Scale{}, false
	}
	for i := range spec.Claims {
		for _, m := range verdict.Check(in, &spec.Claims[i], scale) {
			t.Errorf("%s: %s: %s", spec.File, spec.Claims[i].Holds, m.Message)
		}
	}
}
