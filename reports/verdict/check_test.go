package verdict_test

import (
	"math"
	"testing"

	"github.com/hansa-fl/hansa/reports/verdict"
)

// scales are those of the metrics of knownStudy.
func scales(_ int, metric string) (verdict.Scale, bool) {
	switch metric {
	case "loss", "upload":
		return verdict.Scale{High: math.Inf(1)}, true
	case "accuracy":
		return verdict.Scale{High: 100, Higher: true}, true
	case "skew":
		return verdict.Scale{Low: math.Inf(-1), High: math.Inf(1), Describes: true}, true
	}
	return verdict.Scale{}, false
}

// What no result can decide, or must not, is found before there are results, with the argument that
// is wrong.
func TestCheckFindsWhatCannotBeJudged(t *testing.T) {
	w := knownStudy()
	w.Results = nil
	for _, c := range []struct{ holds, at, argument, want string }{
		{"better(good, bad, loss, by = 100 %)", "", "by", "better: this cannot hold: loss is at " +
			"least 0, and less is better: no value is 100 % less than another"},
		{"worse(good, bad, upload, by = 150 %)", "", "by", "worse: this cannot hold: upload is at " +
			"least 0, and less is better: no value is 150 % less than another"},
		{"better(good, bad, accuracy, by = 100)", "", "by",
			"better: this cannot hold: accuracy lies between 0 and 100"},
		{"equivalent(good, bad, accuracy, within = 100)", "", "within",
			"equivalent: this cannot be refuted: accuracy lies between 0 and 100"},
		{"constant(accuracy, over = k, within = 200, of = good - bad)", "", "within",
			"constant: this cannot be refuted: accuracy lies between 0 and 100"},
		{"equivalent(good - bad, root - bad, accuracy, within = 200)", "", "within",
			"equivalent: this cannot be refuted: accuracy lies between 0 and 100"},
		{"better(good - bad, root - bad, skew)", "", "metric",
			"better: skew has no direction: nothing is better or worse in it"},
		{"better(good - elsewhere, root - bad, loss)", "k = 4", "", "elsewhere and good do not " +
			"measure the same loss at k = 4: good: other test data: clients = 0 instead of 7"},
		{"value(good, loss, >= 0)", "", "bound", "value: this cannot be refuted: loss is at least 0"},
		{"value(good, loss, <= -1e-3)", "", "bound", "value: this cannot hold: loss is at least 0"},
		{"value(good, accuracy, = 50 ± 60)", "", "bound",
			"value: this cannot be refuted: accuracy lies between 0 and 100"},
		{"value(good - bad, accuracy, >= 101)", "", "bound",
			"value: this cannot hold: a difference in accuracy lies between −100 and 100"},
		{"reaches(good, accuracy, >= 101)", "", "bound",
			"reaches: this cannot hold: accuracy lies between 0 and 100"},
		{"reaches(good, loss, >= 3)", "", "bound", "reaches: less is better in loss, and the best " +
			"value is reached from the other side"},
		{"reaches(good, accuracy, <= 3)", "", "bound", "reaches: more is better in accuracy, and the " +
			"best value is reached from the other side"},
		{"reaches(good, loss, <= 3, by = round 21)", "k = 2", "by",
			"reaches: good at k = 2 is trained for 20 rounds"},
		{"order(good > bad, skew)", "", "metric",
			"order: skew has no direction: nothing is better or worse in it"},
		{"better(good, elsewhere, loss)", "k = 4", "", "elsewhere and good do not measure the same loss " +
			"at k = 4: good: other test data: clients = 0 instead of 7"},
		{"value(good - elsewhere, loss, >= 1)", "k = 4", "", "elsewhere and good do not measure the " +
			"same loss at k = 4: good: other test data: clients = 0 instead of 7"},
		{"increases(loss, over = k, of = two metrics)", "", "over", "k = 1 and k = 8 do not measure the " +
			"same loss: k = 8: other metric: accuracy instead of loss"},

		{"better(good, bad, loss, by = 99 %)", "", "", ""},
		{"better(good, bad, accuracy, by = 150 %)", "", "", ""},
		{"equivalent(good, bad, loss, within = 100)", "", "", ""},
		{"better(good - bad, root - bad, loss, by = 100 %)", "", "", ""}, // a gain has any sign
		{"better(good - bad, root - bad, accuracy, by = 150)", "", "", ""},
		{"value(good - bad, loss, >= 0)", "", "", ""},
		{"value(good, skew, <= -1)", "", "", ""},
		{"value(good, unknown, <= -1)", "", "", ""},
		{"exponent(good, loss, over = k, <= -0.5)", "", "", ""},
		{"reaches(good, loss, <= 3, by = round 20)", "", "", ""},
		{"increases(loss, over = k, of = two tests)", "", "", ""},
		{"increases(loss, over = k, of = two metrics)", "k = 1|k = 2", "", ""},
	} {
		one := claimed(t, w, c.holds, split(c.at)...)
		found := verdict.Check(&w.Input, &one, scales)
		if len(found) != 1 {
			if c.want != "" || len(found) > 0 {
				t.Errorf("%s: %v, want %q", c.holds, found, c.want)
			}
			continue
		}
		if found[0].Message != c.want || found[0].Argument != c.argument {
			t.Errorf("%s:\n got %s: %s\nwant %s: %s", c.holds, found[0].Argument, found[0].Message,
				c.argument, c.want)
		}
	}
	two := claimed(t, w, "value(good, loss, >= 0) and value(good, accuracy, <= 100)")
	if found := verdict.Check(&w.Input, &two, scales); len(found) != 2 || found[1].Predicate != 1 {
		t.Errorf("two mistakes: %v", found)
	}
}
