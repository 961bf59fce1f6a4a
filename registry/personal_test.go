package registry_test

import (
	"strings"
	"testing"
)

// A metric of personal models needs a local rule that keeps some and test samples of clients; a head
// has no more layers than the model. The mistake has its place in the file.
func TestPersonalModelsAreKept(t *testing.T) {
	r := menu(t)
	for _, c := range []struct{ local, metric, lines, want string }{
		{`"fedper"`, `name = "accuracy", model = "personal"`, `test = "client"`, ""},
		{`"ditto"`, `name = "loss", model = "personal", weighting = "uniform"`, "held_out = 0.2", ""},
		{`"sgd"`, `name = "accuracy", model = "fine-tuned"`, `test = "client"`, ""},
		{`"sgd"`, `name = "clients", model = "deployed"`, "", ""},
		{`"sgd"`, `name = "groups", model = "personal"`, "", "metric groups: model: personal needs a " +
			"local rule that keeps a model of each client, such as ditto or fedper"},
		{`"sgd"`, `name = "accuracy", model = "personal"`, `test = "client"`, "metric accuracy: model: " +
			"personal needs a local rule that keeps a model of each client, such as ditto or fedper"},
		{`"ditto"`, `name = "accuracy", model = "personal"`, "", "metric accuracy: model: personal needs " +
			"test data that belong to clients; by this dataset and partition they do not, but with " +
			"test = \"client\" or held_out"},
		{`"ditto"`, `name = "accuracy", model = "personel"`, "", `metric accuracy: model: "personel" is ` +
			"not one of its options"},
		{`{ name = "fedper", layers = 4 }`, `name = "accuracy"`, "", "local fedper: layers: 4, but the " +
			"model has 3 with weights"},
	} {
		_, _, problems := r.Compose(cellOf(t, `dataset = "glyphs"
partition = "iid"
model = "mlp"
local = `+c.local+"\n"+c.lines+`
metrics = [{ `+c.metric+` }]
`))
		var said []string
		for _, p := range problems {
			said = append(said, p.Message)
			if p.Pos.Line == 0 {
				t.Errorf("%s: %q has no place", c.metric, p.Message)
			}
		}
		if got := strings.Join(said, "; "); got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.local, c.metric, got, c.want)
		}
	}
}

// What stays with clients is not asked of a model that has no size, since its data are unknown.
func TestPersonalModelsOfUnknownData(t *testing.T) {
	_, _, problems := menu(t).Compose(cellOf(t, `dataset = "glyfs"
partition = "iid"
model = "mlp"
local = "fedper"
metrics = ["accuracy"]
`))
	if len(problems) != 1 || !strings.Contains(problems[0].Message, "glyfs") {
		t.Errorf("%v", problems)
	}
}
