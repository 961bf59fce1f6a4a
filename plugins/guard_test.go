package plugins

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/plugins/policy"
	"github.com/hansa-fl/hansa/plugins/symbols"
	"github.com/hansa-fl/hansa/registry"
)

// What a strategy returns is refused where it cannot be, and only there.
func TestWhatIsReturnedIsChecked(t *testing.T) {
	sets := fl.Law{Sets: [][]int{{0, 1}, {2}}, Q: fl.Vector{0.5, 0.5}}
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"no clients":         {fl.CheckClients(nil, 3), ""},
		"clients":            {fl.CheckClients([]int{0, 2}, 3), ""},
		"out of order":       {fl.CheckClients([]int{2, 0}, 3), "client 0 after client 2"},
		"negative":           {fl.CheckClients([]int{-1}, 3), "client -1"},
		"a subset":           {fl.CheckSubset([]int{3, 7}, []int{1, 3, 5, 7}), ""},
		"a subset, twice":    {fl.CheckSubset([]int{3, 3}, []int{1, 3}), "twice"},
		"no subset":          {fl.CheckSubset([]int{3, 4}, []int{1, 3, 5}), "client 4, which is not"},
		"none available":     {fl.CheckSubset([]int{0}, nil), "not available"},
		"weights":            {fl.CheckDistribution("w", fl.Vector{0.25, 0.75}, 2, slack), ""},
		"too few weights":    {fl.CheckDistribution("w", fl.Vector{1}, 2, slack), "1 w, want 2"},
		"a negative weight":  {fl.CheckDistribution("w", fl.Vector{-1, 2}, 2, slack), "element 0 is -1"},
		"a weight of NaN":    {fl.CheckDistribution("w", fl.Vector{math.NaN(), 1}, 2, slack), "NaN"},
		"an infinite weight": {fl.CheckDistribution("w", fl.Vector{math.Inf(1), 0}, 2, slack), "+Inf"},
		"enrolment":          {checkEnrolment([]bool{true, false, true}, chances(1, 0, .5), 3), ""},
		"chances not known":  {checkEnrolment([]bool{true}, chances(math.NaN()), 1), ""},
		"too few answers":    {checkEnrolment([]bool{true}, chances(1, 1), 2), "1 answers, want 2"},
		"chances cut off":    {checkEnrolment([]bool{true}, nil, 1), "0 elements of Probability"},
		"a negative chance":  {checkEnrolment([]bool{true}, chances(-.1), 1), "outside [0, 1]"},
		"a miracle":          {checkEnrolment([]bool{true}, chances(0), 1), "to 0, and returned true"},
		"a chance of 1":      {checkEnrolment([]bool{false}, chances(1), 1), "to 1, and returned false"},
		"nothing said":       {checkSaid(said(fl.Matrix{}, nil)), ""},
		"context, of two":    {checkSaid(said(fl.NewMatrix(2, 1), chances(1, 0))), ""},
		"context of others":  {checkSaid(said(fl.NewMatrix(3, 1), nil)), "3×1, 3 numbers"},
		"context of NaN":     {checkSaid(said(fl.Matrix{Rows: 2, Cols: 1, Data: chances(math.NaN(), 0)}, nil)), "client 0 to NaN"},
		"of the unenrolled":  {checkSaid(said(fl.Matrix{Rows: 2, Cols: 1, Data: chances(0, math.NaN())}, chances(1, math.NaN()))), ""},
		"short inclusion":    {checkSaid(said(fl.Matrix{}, chances(1))), "1 elements of Inclusion"},
		"too much inclusion": {checkSaid(said(fl.Matrix{}, chances(2, 1))), "Inclusion[0] to 2"},
		"no law":             {checkLaw(fl.Law{Q: fl.Vector{7}}, false, 3), ""},
		"a law":              {checkLaw(sets, true, 3), ""},
		"everyone":           {checkLaw(fl.Law{Everyone: true}, true, 3), ""},
		"an empty law":       {checkLaw(fl.Law{}, true, 3), "says nothing"},
		"a law of others":    {checkLaw(sets, true, 2), "law.Sets[1]: returned client 2"},
		"a short law":        {checkLaw(fl.Law{Chance: fl.Vector{1}}, true, 3), "law.Chance has 1"},
		"an unlikely law":    {checkLaw(fl.Law{Inclusion: fl.Vector{2, 0, 0}}, true, 3), "outside [0, 1]"},
		"a law of too many":  {checkLaw(fl.Law{Everyone: true, Size: 4}, true, 3), "law.Size 4 of 3"},
		"parts":              {checkParts([][]int{{2}, {0, 1}}, 3, 2), ""},
		"too few parts":      {checkParts([][]int{{0}}, 3, 2), "1 parts for 2"},
		"an empty part":      {checkParts([][]int{{0}, {}}, 3, 2), "client 1 no rows"},
		"no such row":        {checkParts([][]int{{0}, {3}}, 3, 2), "row 3 of 3"},
		"rows left out":      {checkParts([][]int{{0}, {2}}, 3, 2), ""},
		"a row of two":       {checkParts([][]int{{0}, {2, 0}}, 3, 2), "row 0 to clients 0 and 1"},
		"parameters":         {checkParams(fl.Vector{1, 2}, 2), ""},
		"infinite":           {checkParams(fl.Vector{1, math.Inf(-1)}, 2), "-Inf at parameter 1"},
	} {
		switch {
		case c.want == "" && c.err != nil:
			t.Errorf("%s: %v", name, c.err)
		case c.want != "" && (c.err == nil || !strings.Contains(c.err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", name, c.err, c.want)
		}
	}
}

func chances(p ...float64) fl.Vector { return p }

// said returns a round of two clients, of which the first is enrolled, after a model said this.
func said(context fl.Matrix, inclusion fl.Vector) *fl.AvailabilityInput {
	return &fl.AvailabilityInput{Roster: &fl.Roster{N: 2, Enrolled: []bool{true, false}}, Context: context,
		Inclusion: inclusion}
}

// A strategy can be of every kind that has a guard, and the policy says of all others that it
// cannot.
func TestEveryKindIsGuardedOrDenied(t *testing.T) {
	var guarded []string
	for _, k := range Kinds() {
		guarded = append(guarded, k.Name)
	}
	for _, k := range new(registry.Registry).Kinds() {
		denied := policy.Advice(symbols.Path+"/framework/fl", k.Type+"Entry") != ""
		if denied == slices.Contains(guarded, k.Name) {
			t.Errorf("%s: guarded: %t, denied: %t", k.Name, !denied, denied)
		}
	}
}
