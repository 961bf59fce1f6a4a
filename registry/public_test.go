package registry_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
)

// images is a setting of images whose clients are those of some data set.
const images = "partition = \"iid\"\nmodel = \"mlp\"\nmetrics = [\"accuracy\"]\n"

// Public data that a model of the clients' data cannot read, that no rule finds, or that are the
// clients' own or test rows, are refused where they are named. The lines below images are from 18.
func TestPublicDataHaveToFit(t *testing.T) {
	for lines, want := range map[string][]string{
		"dataset = \"glyphs\"\npublic = \"glyfs\"": {
			`19:10: public: there is no "glyfs" (did you mean "glyphs"?)`},
		"dataset = \"glyphs\"\npublic = { name = \"glyphs\", trian = 4 }": {
			`19:29: public glyphs: trian: no such parameter (did you mean "train"?)`},
		"dataset = \"glyphs\"\npublic = { name = \"glyphs\", labeled = false }": {
			`19:29: public glyphs: labeled: no such parameter (did you mean "labelled"?)`},
		"dataset = \"glyphs\"\npublic = { name = \"glyphs\", labelled = \"no\" }": {
			`19:40: public glyphs: labelled: want true or false, have the string "no"`},
		"dataset = \"glyphs\"\npublic = \"cifar10\"": {
			`19:10: public cifar10: rows have 3072 features, those of glyphs have 784`},
		"dataset = \"glyphs\"\npublic = { name = \"population-logistic\", features = 784 }": {
			`19:19: public population-logistic: images are of no size, those of glyphs are of ` +
				`1×28×28`},
		"dataset = \"mnist\"\npublic = \"mnist\"": {
			`19:10: public mnist: its training samples are those of the clients (name another ` +
				`data set; validation = 0.1 gives the server a tenth of the clients' samples)`},
		"dataset = \"glyphs\"\naggregator = \"feddf\"": {
			`19:14: aggregator feddf: needs public data, and the experiment has none (public = "…" ` +
				`in [setting] names a data set whose training rows are public)`},
		"dataset = \"glyphs\"\nlocal = \"fedmd\"\naggregator = \"fedmd\"": {
			`19:9: local fedmd: needs public data, and the experiment has none (public = "…" ` +
				`in [setting] names a data set whose training rows are public)`},
		"dataset = \"glyphs\"\npublic = { name = \"glyphs\", labelled = false }\n" +
			"local = { name = \"fedmd\", transfer_epochs = 2 }\naggregator = \"fedmd\"": {
			`20:45: local fedmd: transfer_epochs: 2 needs labels of public samples, which labelled ` +
				`= false hides`},
	} {
		complains(t, images+lines, want)
	}
}

// tables is a setting of tables in files.
const tables = "partition = \"iid\"\nmodel = \"softmax\"\nmetrics = [\"accuracy\"]\n" +
	"dataset = { name = \"libsvm\", train_file = \"a\", test_file = \"b\", features = 4, " +
	"classes = 2, labels = \"from-zero\" }\n"

// Public rows of a file that the dataset names are rows of clients or test rows; of another they are
// neither. Its own test rows are not used, so that their file does not matter.
func TestPublicFilesAreOfNoClient(t *testing.T) {
	public := func(files string) string {
		return tables + `public = { name = "libsvm", ` + files + `, features = 4, classes = 2, ` +
			`labels = "from-zero" }`
	}
	complains(t, public(`train_file = "a"`), []string{`19:42: public libsvm: train_file: "a" is ` +
		`train_file of the dataset, whose samples are the clients'`})
	complains(t, public(`train_file = "b"`), []string{`19:42: public libsvm: train_file: "b" is ` +
		`test_file of the dataset, and no method may see test samples`})
	for _, files := range []string{`train_file = "c"`, `train_file = "c", test_file = "b"`} {
		if _, _, problems := menu(t).Compose(cellOf(t, public(files))); len(problems) > 0 {
			t.Errorf("%s: %v", files, problems)
		}
	}
}

// Public data are in the identity of a cell with all their parameters, and inspected like others;
// labels may be of other classes once they are hidden.
func TestPublicDataDecide(t *testing.T) {
	r, ids := menu(t), map[string]bool{}
	for _, public := range []string{"", `public = "glyphs"`,
		`public = { name = "glyphs", labelled = false }`,
		`public = { name = "glyphs", train = 50 }`} {
		s, resolved := compose(t, r, cellOf(t, images+"dataset = \"glyphs\"\n"+public+"\n"))
		ids[s.ID] = true
		if pick, given := resolved.Picks["public"]; given != (public != "") ||
			given && (pick.Params["labelled"] == nil || pick.Params["train"] == nil) {
			t.Errorf("%s: resolved %v", public, pick)
		}
		if (s.Public.Source != nil) != (public != "") || s.Public.Sent ||
			s.Public.Labelled != (public != "" && !strings.Contains(public, "false")) {
			t.Errorf("%s: %+v", public, s.Public)
		}
	}
	if len(ids) != 4 {
		t.Errorf("%d identities of 4 cells", len(ids))
	}
	s, _ := compose(t, r, cellOf(t, images+"dataset = \"mnist\"\npublic = \"fashion-mnist\"\n"))
	found := false
	for _, i := range s.Inspectors {
		found = found || i.Path == "public"
	}
	if !found {
		t.Error("the files of public data are not inspected")
	}
}

// The schema of experiments has public data, with their own parameter.
func TestSchemaOfPublicData(t *testing.T) {
	defs, _ := menu(t).Schema()["$defs"].(map[string]any)
	for name, labelled := range map[string]bool{"public.glyphs": true, "dataset.glyphs": false} {
		def, _ := defs[name].(map[string]any)
		properties, _ := def["properties"].(map[string]any)
		if properties["train"] == nil || (properties["labelled"] != nil) != labelled {
			t.Errorf("%s: %v", name, properties)
		}
	}
}

// publicly is a cell with a network, public data, and the two halves of a method.
func publicly(t *testing.T, local, aggregator string) study.Cell {
	t.Helper()
	const glyphs = `{ name = "glyphs", image = "colour" }`
	return cellOf(t, fmt.Sprintf("dataset = %s\npublic = %s\npartition = \"iid\"\nmodel = \"mlp\"\n"+
		"rounds = 2\nlocal = %q\naggregator = %q\n", glyphs, glyphs, local, aggregator))
}

// It has compressors of models as well, which have no feedback.
func TestSchemaOfDownloads(t *testing.T) {
	defs, _ := menu(t).Schema()["$defs"].(map[string]any)
	for name, feedback := range map[string]bool{"download.top-k": false, "compressor.top-k": true} {
		def, _ := defs[name].(map[string]any)
		properties, _ := def["properties"].(map[string]any)
		if properties["share"] == nil || (properties["feedback"] != nil) != feedback {
			t.Errorf("%s: %v", name, properties)
		}
	}
}
