package table_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
)

// swarm is a run of methods at points of one axis, with five seeds; change changes each cell.
func swarm(methods, parts []string, change func(c *study.Cell)) *reportstest.Example {
	x := reportstest.NewExample("swarm", "A swarm", reportstest.Loss)
	for _, part := range parts {
		for _, method := range methods {
			c := study.Cell{Method: method, Point: reportstest.At("partition", part), Clients: 20, Rounds: 30,
				Picks: map[string]study.Pick{"aggregator": {Name: method}, "dataset": {Name: "glyphs"}}}
			if change != nil {
				change(&c)
			}
			x.Add(c, reportstest.Around(uint64(len(method)+10*len(part)), 5, 3, 1, 0.5))
		}
	}
	return x
}

// outlined returns the methods of an Input and the points of its sweep, in order.
func outlined(in infer.Input) (methods, points []string) {
	for _, c := range in.Cells {
		if !slices.Contains(methods, c.Method) {
			methods = append(methods, c.Method)
		}
		if at := infer.Label(infer.PointOf(c.Point)); !slices.Contains(points, at) {
			points = append(points, at)
		}
	}
	return methods, points
}

func TestRunsArePooledWhereTheyAgree(t *testing.T) {
	one := swarm([]string{"FedAvg", "FedProx"}, []string{"IID", "Dir(1)", "Dir(0.1)"}, nil)
	two := swarm([]string{"FedAvg", "FedAVOT"}, []string{"Dir(1)", "Dir(0.1)", "shards"},
		func(c *study.Cell) {
			if c.Point[0].Label == "Dir(0.1)" {
				c.Rounds = 60
			}
		})
	one.Builds, two.Builds = []string{"1a"}, []string{"1a", "2b"}
	before := len(one.Cells)
	in, remarks, err := infer.Pool([]infer.Run{{Name: "one", Input: one.Input}, {Name: "two", Input: two.Input}})
	if err != nil {
		t.Fatal(err)
	}
	methods, points := outlined(in)
	if want := []string{"FedAvg", "FedProx", "FedAVOT"}; !slices.Equal(methods, want) {
		t.Errorf("methods %v, want %v: what both have is one row", methods, want)
	}
	if !slices.Equal(points, []string{"Dir(1)"}) {
		t.Errorf("points %v", points)
	}
	want := []string{"IID is not in two", "at Dir(0.1), one and two differ in rounds (30; 60)",
		"shards is not in one"}
	if !slices.Equal(remarks, want) {
		t.Errorf("remarks %q, want %q", remarks, want)
	}
	if len(in.Cells) != 15 || len(in.IDs) != 15 || len(one.Cells) != before {
		t.Errorf("%d cells, %d identities; of the first %d, before %d", len(in.Cells), len(in.IDs),
			len(one.Cells), before)
	}
	if !slices.Equal(in.Builds, []string{"1a", "2b"}) || len(one.Builds) != 1 {
		t.Errorf("builds %v", in.Builds)
	}
	c := reportstest.Compared(t, in, table.ComparisonOptions{Baseline: "FedAvg", Remarks: remarks})
	for _, remark := range remarks {
		said := func(n table.Note) bool { return n.Text == remark }
		if !slices.ContainsFunc(c.Tables()[0].Notes, said) {
			t.Errorf("it does not say %q", remark)
		}
	}
}

// A label that two runs use for different cells has the name of its run.
func TestPooledLabelsStayApart(t *testing.T) {
	one := swarm([]string{"FedAvg", "mine"}, []string{"IID"}, nil)
	two := swarm([]string{"FedAvg", "mine"}, []string{"IID"}, nil)
	for i, c := range two.Cells {
		if c.Method == "mine" {
			id := two.IDs[i]
			two.IDs[i] += "'"
			two.Results[two.IDs[i]] = two.Results[id]
			delete(two.Results, id)
			two.Cells[i].Picks = maps.Clone(c.Picks)
			two.Cells[i].Picks["local"] = study.Pick{Name: "sgd"}
		}
	}
	in, remarks, err := infer.Pool([]infer.Run{{Name: "one", Input: one.Input}, {Name: "two", Input: two.Input}})
	if err != nil || len(remarks) > 0 {
		t.Fatal(err, remarks)
	}
	methods, _ := outlined(in)
	if want := []string{"FedAvg", "mine", "mine [two]"}; !slices.Equal(methods, want) {
		t.Errorf("methods %v, want %v", methods, want)
	}
}

// A run alone stays as it is, also beside itself.
func TestPoolOneRun(t *testing.T) {
	x := reportstest.SevenPartitions()
	for _, runs := range [][]infer.Run{{{Name: "x", Input: x.Input}}, {{Name: "x", Input: x.Input}, {Name: "y", Input: x.Input}}} {
		in, remarks, err := infer.Pool(runs)
		if err != nil || len(remarks) > 0 || !slices.Equal(in.IDs, x.IDs) {
			t.Errorf("%d of %d cells, %v, %v", len(in.IDs), len(x.IDs), remarks, err)
		}
	}
}

func TestPoolRefuses(t *testing.T) {
	base := func() *reportstest.Example { return swarm([]string{"FedAvg"}, []string{"IID"}, nil) }
	for _, c := range []struct {
		change func(c *study.Cell)
		want   string
	}{
		{func(c *study.Cell) { c.Clients = 100 }, "differ in clients (20; 100)"},
		{func(c *study.Cell) { c.SameData, c.DataSeed = true, 7 }, "data_seed (that of the run; 7)"},
		{func(c *study.Cell) { c.Picks["dataset"] = study.Pick{Name: "mnist"} },
			"dataset (glyphs; mnist)"},
		{func(c *study.Cell) { c.Point = reportstest.At("k", "IID") }, "one sweeps partition, the other k"},
		{func(c *study.Cell) { c.Point = reportstest.At("partition", "Dir(1)") }, "IID is not in two"},
	} {
		two := swarm([]string{"FedAvg"}, []string{"IID"}, c.change)
		_, _, err := infer.Pool([]infer.Run{{Name: "one", Input: base().Input}, {Name: "two", Input: two.Input}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	two := swarm([]string{"FedAvg", "full"}, []string{"IID"}, func(c *study.Cell) {
		if c.Clients = 100; c.Method == "full" {
			c.Role, c.Clients = "upper-bound", 20
		}
	})
	if _, _, err := infer.Pool([]infer.Run{{Name: "one", Input: base().Input}, {Name: "two", Input: two.Input}}); err == nil {
		t.Error("runs that share a setting with a bound only are taken to agree")
	}
	if _, _, err := infer.Pool([]infer.Run{{Name: "one", Input: base().Input}, {Name: "none", Input: infer.Input{}}}); err == nil {
		t.Error("a run without cells is taken")
	}
}

// A method that both runs have has the role that the first gives it.
func TestPooledMethodsHaveOneRole(t *testing.T) {
	one := swarm([]string{"FedAvg", "full"}, []string{"IID"}, nil)
	two := swarm([]string{"FedAvg", "full"}, []string{"IID"}, func(c *study.Cell) {
		if c.Method == "full" {
			c.Role = "upper-bound"
		}
	})
	for i := range one.Cells { // the first run lacks a seed that the second has
		if one.Cells[i].Seed == 4 {
			one.IDs[i] = ""
		}
	}
	one.Cells = slices.DeleteFunc(one.Cells, func(c study.Cell) bool { return c.Seed == 4 })
	one.IDs = slices.DeleteFunc(one.IDs, func(id string) bool { return id == "" })
	in, _, err := infer.Pool([]infer.Run{{Name: "one", Input: one.Input}, {Name: "two", Input: two.Input}})
	if err != nil {
		t.Fatal(err)
	}
	c := reportstest.Compared(t, in, table.ComparisonOptions{})
	if len(c.LearningCurve.Rows) != 2 || c.LearningCurve.Rows[1].Role != "" || c.LearningCurve.Rows[1].Cells[0].N() != 5 {
		t.Errorf("rows %+v", c.LearningCurve.Rows)
	}
}

// Bounds may have settings of their own, and axes may come in another order.
func TestPoolAllowsBoundsAndOrders(t *testing.T) {
	one := reportstest.NewExample("one", "", reportstest.Loss)
	two := reportstest.NewExample("two", "", reportstest.Loss)
	one.Add(study.Cell{Method: "a", Point: reportstest.At("k", "2", "tau", "1")}, reportstest.All(5, 1))
	two.Add(study.Cell{Method: "b", Point: reportstest.At("tau", "1", "k", "2")}, reportstest.All(5, 2))
	two.Add(study.Cell{Method: "full", Role: "upper-bound", Clients: 9,
		Point: reportstest.At("tau", "1", "k", "2")}, reportstest.All(5, 3))
	in, remarks, err := infer.Pool([]infer.Run{{Name: "one", Input: one.Input}, {Name: "two", Input: two.Input}})
	if err != nil || len(remarks) > 0 {
		t.Fatal(err, remarks)
	}
	if methods, points := outlined(in); len(methods) != 3 || len(points) != 1 {
		t.Errorf("methods %v at %v", methods, points)
	}
}
