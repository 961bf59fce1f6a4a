package registry_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
)

// A clash is two parameters of a component that cannot stand beside each other.
type clash struct {
	slot, name string
	always     string // what is given besides
	one, other string // the last names the parameter that the message begins with
	want       string // beginning of the message
}

var clashes = []clash{
	{"local", "sgd", "", "steps = 3", "epochs = 2",
		"local sgd: epochs: steps = 3 is given too; set one of them to 0"},
	{"local", "sgd", `optimizer.name = "sgd"`, "optimizer.momentum = 0.0",
		"optimizer.nesterov = true",
		"local sgd: optimizer sgd: nesterov: needs a momentum above 0"},
	{"aggregator", "fedavot", "learn = true", "step = 4", "leak = 0.5",
		"aggregator fedavot: leak: 0.5 times step = 4 is not below 1"},
	{"aggregator", "minimum-variance", "learn = true", "step = 4", "leak = 0.5",
		"aggregator minimum-variance: leak: 0.5 times step = 4 is not below 1"},
	{"aggregator", "minimum-variance", "", "learn = true", "bias = 0.1",
		"aggregator minimum-variance: bias: 0.1 is planned for, and learn = true plans nothing"},
	{"aggregator", "fedpft", "", "lr = 0.1", "rates = [0.1, 0.2]",
		"aggregator fedpft: rates: lr = 0.1 is given too"},
	{"aggregator", "fedipw", "", "refit = 3", "window = 7",
		"aggregator fedipw: window: 7 is no multiple of refit = 3"},
	{"availability", "trace", "", `form = "matrix"`, "origin = 3",
		"availability trace: origin: slots of a matrix have no times"},
	{"availability", "trace", "", `form = "matrix"`, "period = 2.5",
		"availability trace: period: 2.5 slots are not whole"},
	{"availability", "trace", "", `trace = "flash"`, "skip = 1",
		"availability trace: skip: it is known of flash"},
	{"enrollment", "list", "", "clients = [1]", "except = [2]",
		"enrollment list: except: clients is given too; leave one of them out"},
	{"dataset", "libsvm", `train_file = "a"` + "\nfeatures = 2", "classes = 3", `labels = "signs"`,
		"dataset libsvm: labels: signs tell 2 classes apart, not 3"},
	{"dataset", "csv", `train_file = "a"` + "\n" + `label = "y"` + "\n" + `numbers = ["x"]`,
		`test_file = "b"`, "held_out = 0.5",
		"dataset csv: held_out: test rows are those of test_file"},
	{"dataset", "idx", `train_images = "a"` + "\n" + `train_labels = "b"` + "\ndims = [2]\n" +
		`test_labels = "d"`, `test_images = "c"`, "held_out = 0.5",
		"dataset idx: held_out: test rows are those of test_images"},
	{"dataset", "office-caltech10", "", `features = "googlenet1024"`, `domains = ["caltech10"]`,
		"dataset office-caltech10: domains: there are no googlenet1024 features of caltech10"},
}

// Of two parameters that cannot stand beside each other the one is refused that was written later:
// in the method when the other is in the setting, in the later line of the setting, or on the
// command line.
func TestOfTwoParametersTheLaterIsRefused(t *testing.T) {
	for _, c := range clashes {
		for _, pair := range [][2]string{{c.one, c.other}, {c.other, c.one}} {
			method := c.written(t, []string{pair[0]}, []string{pair[1]})
			c.refused(t, method, pair[1], study.Overrides{})
			setting := c.written(t, pair[:], nil)
			c.refused(t, setting, pair[1], study.Overrides{})
			said := strings.ReplaceAll(pair[1], " = ", "=")
			file := c.written(t, pair[:1], nil)
			c.refused(t, file, "", study.Overrides{Set: []string{c.slot + "." + said}})
		}
	}
}

// written returns an experiment whose setting and method give a component some parameters.
func (c *clash) written(t *testing.T, setting, method []string) string {
	t.Helper()
	above, below, found := strings.Cut(base, "[[method]]\n")
	if !found {
		t.Fatal("base has no method")
	}
	above = regexp.MustCompile(`(?m)^`+c.slot+` .*\n`).ReplaceAllString(above, "")
	setting = append([]string{"name = " + strconv.Quote(c.name), c.always}, setting...)
	lines := func(params []string) (text string) {
		for _, line := range strings.Split(strings.Join(params, "\n"), "\n") {
			if line != "" {
				text += c.slot + "." + line + "\n"
			}
		}
		return text
	}
	return above + lines(setting) + "[[method]]\n" + below + lines(method)
}

// refused composes an experiment, and wants the mistake at the value of the parameter that is
// written so, or on the command line where that is empty.
func (c *clash) refused(t *testing.T, text, written string, o study.Overrides) {
	t.Helper()
	spec, err := study.Parse("x.toml", []byte(text), o)
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	cells, err := spec.Expand()
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	want := "--set: " + c.want
	if written != "" {
		line := c.slot + "." + written
		before, _, _ := strings.Cut(text, line)
		want = "x.toml:" + strconv.Itoa(1+strings.Count(before, "\n")) + ":" +
			strconv.Itoa(strings.Index(line, "= ")+3) + ": " + c.want
	}
	_, _, problems := menu(t).Compose(cells[0])
	if got := problems.Error(); !strings.Contains("\n"+got, "\n"+want) {
		t.Errorf("%s%v\ngot\n%s\nwant\n%s", text, o.Set, got, want)
	}
}
