package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaOf returns the schema that hansa writes for some paths.
func schemaOf(t *testing.T, paths ...string) *jsonschema.Schema {
	t.Helper()
	var out, said bytes.Buffer
	if code := hansa(t.Context(), &out, &said, append([]string{"schema"}, paths...)); code != exitOK {
		t.Fatalf("exit code %d\n%s", code, &said)
	}
	doc, err := jsonschema.UnmarshalJSON(&out)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("experiment.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("experiment.json") // which holds it to the schema of schemas
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// document returns an experiment as an editor sees it.
func document(t *testing.T, text string) any {
	t.Helper()
	var values map[string]any
	if _, err := toml.Decode(text, &values); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// rightFiles returns all experiments that there are and that are right.
func rightFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, root := range []string{"../../experiments", "testdata/cases", "testdata/stopped", "../../plugins/draft/templates"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(path) == ".toml" && !strings.Contains(path, "cases/strategies") {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(files) < 40 {
		t.Fatalf("%d files: is this test looking in the right place?", len(files))
	}
	return files
}

// Every experiment is valid, with the strategies that it names.
func TestSchemaAcceptsEveryExperiment(t *testing.T) {
	plain := schemaOf(t)
	for _, file := range rightFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		schema := plain
		if strings.Contains(string(text), "\nplugins") {
			schema = schemaOf(t, file)
		}
		if err := schema.Validate(document(t, string(text))); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// What is refused by its form alone, the schema refuses: no experiment with a mistake in one
// place passes.
func TestSchemaRefusesMistakes(t *testing.T) {
	schema := schemaOf(t)
	rng := rand.New(rand.NewPCG(9, 9))
	for _, file := range rightFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if schema.Validate(document(t, string(text))) != nil {
			continue // it needs strategies
		}
		for range 20 {
			doc := document(t, string(text))
			what := mutate(rng, doc)
			if what == "" {
				continue
			}
			if schema.Validate(doc) == nil {
				t.Errorf("%s is valid with %s", file, what)
			}
		}
	}
}

// mutate makes one mistake somewhere in an experiment, and says which, or nothing when it chose a
// place where anything may stand.
func mutate(rng *rand.Rand, v any) string {
	var path []string
	for {
		object, ok := v.(map[string]any)
		if list, many := v.([]any); many {
			if len(list) == 0 {
				return ""
			}
			v = list[rng.IntN(len(list))]
			continue
		}
		if !ok {
			return ""
		}
		keys := slices.Sorted(func(yield func(string) bool) {
			for k := range object {
				if !yield(k) {
					return
				}
			}
		})
		key := keys[rng.IntN(len(keys))]
		path = append(path, key)
		if strings.Count(key, ".") > 1 || len(path) == 3 && path[0] == "tune" && path[1] == "space" {
			return "" // of a component within another one, or of a method, the schema takes any path
		}
		free := len(path) == 2 && (path[0] == "ablate" && key != "of" || path[0] == "sweep")
		child, inner := object[key].(map[string]any)
		if _, many := object[key].([]any); (inner || many) && rng.IntN(3) > 0 || free {
			if v = object[key]; inner && len(child) == 0 {
				return ""
			}
			continue
		}
		if rng.IntN(2) == 0 {
			object[key+"x"] = object[key]
			delete(object, key)
			return fmt.Sprintf("%v misspelt", path)
		}
		object[key] = map[string]any{"no": map[string]any{"such": "thing"}}
		return fmt.Sprintf("%v of another type", path)
	}
}

// Broken experiments are refused as far as a form goes.
func TestSchemaRefuses(t *testing.T) {
	schema := schemaOf(t)
	const right = `seeds = 2
[setting]
clients    = 4
rounds     = 5
dataset    = { name = "regression", features = 2 }
partition  = "natural"
importance = "uniform"
model      = "linear"
local      = { name = "sgd", steps = 1, lr = 0.01 }
availability = { name = "k-subset", k = 2, prior = "uniform" }
metrics    = ["loss"]
%s
[[method]]
label      = "FedAvg"
aggregator = "fedavg"
%s
`
	if err := schema.Validate(document(t, fmt.Sprintf(right, "", ""))); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`epochs = 3`, `law = "perhaps"`, `validation = 1.0`, `data_seed = -1`,
		`selection = "everyone"`, `enrollment = { name = "everyone", rate = 0.5 }`,
		`"availability.kk" = 3`, `"availability.k" = -1`, `"local.lr" = "0.1"`, `preprocess = ["none"]`,
		`preprocess = [{ tau = 0.3 }]`, `preprocess = { name = "pca", tau = 0.3 }`, `"preprocess.pca.tau" = 0.3`} {
		if schema.Validate(document(t, fmt.Sprintf(right, line, ""))) == nil {
			t.Errorf("in [setting], %s is valid", line)
		}
	}
	for _, line := range []string{`role = "hero"`, `aggregators = "fedavg"`, `[[ablate]]` + "\n" + `of = "FedAvg"`,
		"[[ablate]]\nx = { local.lr = 0.1 }", "[[ablate]]\nof = \"FedAvg\"\nx = { local.lrr = 0.1 }",
		"[sweep]\nseed = [{ label = \"a\" }]", "[sweep]\n\"availability.k\" = [-1]", "[sweep]\n\"availability.k\" = 2",
		"[sweep]\nmine = [{ label = \"a\", \"availability.kk\" = 3 }]", "[sweep]\nmine = [{ clients = 3 }]",
		"[sweep.mine]\nclients = [2, \"3\"]", "[sweep]\npartition = [\"iid\", \"idi\"]",
		"[report]\nmetrics = 3", "[report]\nmetric = \"loss\"\nmetrics = [\"loss\"]",
		"[report]\nbaseline = \"FedAvg\"\nagainst = \"parent\"", "[report]\nfinal = 0",
		"[[reference]]\nrow = \"FedAvg\"", "[[reference]]\nsource = \"x\"\nclaim = \"y\"\nvalue = 2.0"} {
		if schema.Validate(document(t, fmt.Sprintf(right, "", line))) == nil {
			t.Errorf("%s is valid", line)
		}
	}
	for _, line := range []string{"[sweep]\n\"availability.k\" = [2, 3]", "[sweep.availability]\nk = [2, 3]",
		"[sweep.size]\nlabel = [\"s\", \"l\"]\nclients = [4, 5]\n\"availability.k\" = [1, 2]",
		"[sweep]\n\"availability.prior.exponent\" = [2]", "[report]\nbaseline = \"FedAvg\"\nagainst = \"baseline\"",
		"[[ablate]]\nof = \"FedAvg\"\n\"a, b\" = { local.optimizer.momentum = 0.1 }",
		"[[reference]]\nsource = \"x\"\nclaim = \"y\"", "[sweep]\nmodel = [[\"mlp\", \"cnn\"], \"mlp\"]"} {
		if err := schema.Validate(document(t, fmt.Sprintf(right, "", line))); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// The schema knows the components of strategies, and says of parameters what describe says.
func TestSchemaKnowsStrategies(t *testing.T) {
	const text = "[setting]\naggregator = { name = \"nearest-model\", f = 2 }\n[[method]]\nlabel = \"a\"\n"
	if schemaOf(t).Validate(document(t, text)) == nil {
		t.Error("a strategy that was not named is known")
	}
	sample := schemaOf(t, "../../plugins/samples/nearest-model")
	if err := sample.Validate(document(t, text)); err != nil {
		t.Error(err)
	}
	if sample.Validate(document(t, strings.Replace(text, "2", "-2", 1))) == nil {
		t.Error("a parameter of a strategy may be anything")
	}
}
