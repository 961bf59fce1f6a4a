package tune

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
)

func logRange(path string, lo, hi float64) study.Range {
	return study.Range{Path: path, Scale: study.LogScale, Low: lo, High: hi}
}

func listed(path string, values ...any) study.Range {
	return study.Range{Path: path, Scale: study.ListScale, Values: values}
}

func settings(t *testing.T, search string, budget int, ranges ...study.Range) []Setting {
	t.Helper()
	all, err := Settings(search, budget, ranges)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A grid is the product of equidistant points with both ends, the last parameter changing fastest.
func TestGridsAreProducts(t *testing.T) {
	linear := study.Range{Path: "b", Scale: study.LinearScale, Low: -1, High: 1}
	whole := study.Range{Path: "c", Scale: study.IntegerScale, Low: 1, High: 3}
	for _, c := range []struct {
		name   string
		budget int
		ranges []study.Range
		want   []Setting
	}{
		{"decades", 4, []study.Range{logRange("a", 1e-3, 1)},
			[]Setting{{0.001}, {0.01}, {0.1}, {1.0}}},
		{"four digits", 5, []study.Range{logRange("a", 1e-3, 1)},
			[]Setting{{0.001}, {0.005623}, {0.03162}, {0.1778}, {1.0}}},
		{"what is left goes to the first", 6, []study.Range{linear, listed("d", "x", "y")},
			[]Setting{{-1.0, "x"}, {-1.0, "y"}, {0.0, "x"}, {0.0, "y"}, {1.0, "x"}, {1.0, "y"}}},
		{"integers end", 10, []study.Range{whole}, []Setting{{int64(1)}, {int64(2)}, {int64(3)}}},
		{"nothing to tune", 10, nil, nil},
	} {
		if got := settings(t, study.SearchGrid, c.budget, c.ranges...); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	five := []study.Range{logRange("a", 1, 2), logRange("b", 1, 2), listed("c", 1, 2, 3)}
	if _, err := Settings(study.SearchGrid, 11, five); err == nil {
		t.Error("12 settings fit into 11")
	}
	if got := settings(t, study.SearchGrid, 12, five...); len(got) != 12 {
		t.Errorf("%d settings of 12", len(got))
	}
}

// No search exceeds its budget or tries a setting twice, and each stays within its ranges.
func TestSearchesStayWithinBudgetAndRanges(t *testing.T) {
	ranges := []study.Range{logRange("a", 1e-4, 10), {Path: "b", Scale: study.LinearScale, Low: -2, High: 3},
		{Path: "c", Scale: study.IntegerScale, Low: -3, High: 40}, listed("d", "x", true, 0.5)}
	for _, search := range study.Searches() {
		for budget := 24; budget < 400; budget += 17 {
			seen := map[string]bool{}
			for _, s := range settings(t, search, budget, ranges...) {
				a, b, c := s[0].(float64), s[1].(float64), s[2].(int64)
				if seen[fmt.Sprint(s)] || a < 1e-4 || a > 10 || b < -2 || b > 3 || c < -3 || c > 40 {
					t.Fatalf("%s: %v", search, s)
				}
				seen[fmt.Sprint(s)] = true
			}
			if len(seen) > budget || search != study.SearchGrid && len(seen) < budget {
				t.Errorf("%s: %d settings of %d", search, len(seen), budget)
			}
		}
	}
}

// Where there are fewer settings than the budget, each is tried once; nearly all of few, too.
func TestFewSettingsAreAllTried(t *testing.T) {
	few := []study.Range{listed("a", 1, 2, 3), {Path: "b", Scale: study.IntegerScale, Low: 1, High: 4}}
	for _, search := range study.Searches() {
		if got := settings(t, search, 50, few...); len(got) != 12 {
			t.Errorf("%s: %d of 12 settings", search, len(got))
		}
	}
	if got := settings(t, study.SearchRandom, 11, few...); len(got) != 11 {
		t.Errorf("%d of 11 settings", len(got))
	}
}

// A random search is the same each time, depends on its ranges alone, and fills them evenly: of
// 2ᵏ points of the first coordinate each of 2ᵏ equal parts has one, wherever the sequence begins.
func TestRandomSearchesAreEvenAndTheSame(t *testing.T) {
	a := study.Range{Path: "a", Scale: study.LinearScale, Low: 0, High: 1}
	b := a
	b.Path = "b"
	first := settings(t, study.SearchRandom, 64, a, b)
	if again := settings(t, study.SearchRandom, 64, a, b); !reflect.DeepEqual(first, again) {
		t.Error("the same search differs")
	}
	b.Path = "c"
	if reflect.DeepEqual(first, settings(t, study.SearchRandom, 64, a, b)) {
		t.Error("other parameters have the same settings")
	}
	parts := map[int]int{}
	for _, s := range first {
		parts[int(math.Mod(s[0].(float64)-shifts([]study.Range{a, {Path: "b", Scale: a.Scale, High: 1}})[0]+1, 1)*64+0.01)%64]++
	}
	if len(parts) < 63 { // rounding to four digits may move a point across a bound
		t.Errorf("64 points lie in %d of 64 parts", len(parts))
	}
}

// Further settings are the next ones of a random search, beside those that are known and those that
// do not fit; integers and whole numbers are the same, as plans store them.
func TestFurtherSettingsAreOthers(t *testing.T) {
	ranges := []study.Range{logRange("a", 1e-3, 1), listed("b", int64(1), int64(2))}
	any := func(Setting) bool { return true }
	all := settings(t, study.SearchRandom, 9, ranges...)
	if got := Further(ranges, all[:6], 3, any); !reflect.DeepEqual(got, all[6:]) {
		t.Errorf("%v, want the next ones %v", got, all[6:])
	}
	stored := slices.Clone(all[6])
	stored[1] = float64(stored[1].(int64))
	if got := Further(ranges, append(slices.Clone(all[:6]), stored), 2, any); !reflect.DeepEqual(got, all[7:]) {
		t.Errorf("%v, want %v", got, all[7:])
	}
	for _, s := range Further(ranges, all, 20, func(s Setting) bool { return s[1] == int64(2) }) {
		if s[1] != int64(2) {
			t.Errorf("%v does not fit", s)
		}
	}
	few := []study.Range{listed("b", 1, 2, 3)}
	if got := Further(few, []Setting{{2}}, 5, any); len(got) != 2 {
		t.Errorf("%v of 2 that are left", got)
	}
}

// The radical inverse mirrors digits: by its definition, through their text.
func TestRadicalInverseMirrorsDigits(t *testing.T) {
	for _, base := range []int{2, 3, 5, 7} {
		for i := range 500 {
			want, part := 0.0, 1.0
			digits := []byte(strconv.FormatInt(int64(i), base))
			slices.Reverse(digits)
			for _, d := range digits {
				part /= float64(base)
				want += float64(d-'0') * part
			}
			if got := radicalInverse(i, base); math.Abs(got-want) > 1e-15 {
				t.Errorf("%d in base %d: %v, want %v", i, base, got, want)
			}
		}
	}
	if got := primes(6); !slices.Equal(got, []int{2, 3, 5, 7, 11, 13}) {
		t.Errorf("primes %v", got)
	}
}

// Halving stops after T/9, T/3 and T rounds, where a metric is taken.
func TestHalvingStopsWhereMetricsAreTaken(t *testing.T) {
	for _, c := range []struct {
		settings, rounds, every int
		want                    []int
	}{
		{9, 90, 1, []int{10, 30, 90}}, {20, 100, 1, []int{12, 34, 100}}, {27, 100, 10, []int{10, 20, 40, 100}},
		{2, 100, 1, []int{100}}, {9, 100, 100, []int{100}}, {9, 100, 60, []int{60, 100}},
		{1000, 3, 1, []int{1, 3}}, {9, 1, 1, []int{1}},
	} {
		got := Stops(c.settings, c.rounds, c.every)
		if !slices.Equal(got, c.want) {
			t.Errorf("%d settings, %d rounds, measured every %d: %v, want %v", c.settings, c.rounds,
				c.every, got, c.want)
		}
	}
}

// The best mean wins, the first of equal ones; what diverged with one seed never does.
func TestTheBestMeanWins(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	scores := []float64{4, nan, 4, 1.5, inf, 5.5, -inf}
	if got := Ranking(scores, true); !slices.Equal(got, []int{5, 0, 2, 3}) {
		t.Errorf("higher is better: %v", got)
	}
	if got := Ranking(scores, false); !slices.Equal(got, []int{3, 0, 2, 5}) {
		t.Errorf("lower is better: %v", got)
	}
	if got := Survivors(scores, true); !slices.Equal(got, []int{0, 2, 5}) {
		t.Errorf("the better third of 7: %v", got)
	}
	if got := Survivors([]float64{nan, 1, nan, nan}, true); !slices.Equal(got, []int{1}) {
		t.Errorf("what did not diverge: %v", got)
	}
}

// A winner with the least or the largest number that was tried is at the edge; words have none.
func TestEdgesAreOfNumbers(t *testing.T) {
	ranges := []study.Range{{Path: "lr"}, {Path: "steps"}, {Path: "by"}}
	tried := []Setting{{0.1, int64(1), "a"}, {0.2, int64(2), "b"}, {0.3, int64(3), "c"}}
	for k, want := range [][]string{{"lr", "steps"}, nil, {"lr", "steps"}} {
		if got := Edges(ranges, tried, tried[k]); !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", tried[k], got, want)
		}
	}
}
