package chart

import (
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/ot"
)

// bounded returns findings that share a frontier, one that has another, and one without.
func bounded() []audit.Finding {
	line := func(from, to, tv float64) ot.Frontier {
		return ot.Frontier{Points: []ot.FrontierPoint{{Variance: from, TV: tv}, {Variance: to}}}
	}
	f := &audit.Frontier{Convex: line(0.3, 0.6, 0.4), Any: line(0.3, 0.5, 0.4)}
	weights := func(variance float64) *audit.Effective { return &audit.Effective{Variance: variance} }
	return []audit.Finding{
		{Method: "full", Role: "upper-bound", Effective: weights(0.05),
			Frontier: &audit.Frontier{Convex: line(0.04, 0.05, 0.1), Any: line(0.04, 0.05, 0.1)}},
		{Method: "a", Effective: weights(0.3), TV: 0.4, Frontier: f},
		{Method: "b", Effective: weights(0.9), TV: 0.1, Frontier: f},
		{Method: "thin", Effective: &audit.Effective{Thin: true, Variance: 0.1}},
		{Method: "no mean"},
	}
}

// A frontier is drawn once for the methods that share it, not for those that are shown beside; every
// method with weights is a point, and curves reach as far as the last of them.
func TestFrontier(t *testing.T) {
	c, err := Frontier(bounded())
	if err != nil {
		t.Fatal(err)
	}
	var labels []string
	for _, e := range c.Legend {
		labels = append(labels, e.Label)
	}
	want := "frontier, convex weights|frontier, any weights|full|a|b"
	if got := strings.Join(labels, "|"); got != want || len(c.Panels) != 1 {
		t.Fatalf("%d panels, the legend is %s", len(c.Panels), got)
	}
	m := c.Panels[0].Marks
	if len(m) != 5 || !alike(m[0].X, []float64{0.3, 0.6, 0.9}) || !alike(m[0].Y, []float64{0.4, 0, 0}) ||
		!alike(m[4].X, []float64{0.9}) || !alike(m[4].Y, []float64{0.1}) {
		t.Errorf("the marks are %+v", m)
	}
	if c.Panels[0].X.Log != (0.9 > 20*0.05) {
		t.Errorf("the axis is %+v", c.Panels[0].X)
	}
	if _, err := Frontier(bounded()[3:]); err == nil || !strings.Contains(err.Error(), "no method has a frontier") {
		t.Errorf("%v", err)
	}
}
