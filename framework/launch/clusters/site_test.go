package clusters

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/launch"
)

func site(t *testing.T, text string) (*launch.Site, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "site.toml")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := ReadSite(file, Named("slurm"))
	return s, err
}

func TestSite(t *testing.T) {
	got, err := site(t, `[slurm]
partition = "gpu"
account = "lab"
qos = "long"
constraint = "avx512"
reservation = "week"
time = "2h30m"
mem = "8G"
cpus_per_task = 4
throttle = 32
max_tasks = 500
signal = "3m"
exclude = ["node7"]
extra = ["--licenses=x"]
setup = ["module load hansa"]
scontrol = false
`)
	want := &launch.Site{Words: map[string]string{"partition": "gpu", "account": "lab", "qos": "long",
		"constraint": "avx512", "reservation": "week"}, Time: 150 * time.Minute, Memory: "8G", CPUs: 4, Throttle: 32,
		MaxTasks: 500, Signal: 3 * time.Minute, Exclude: []string{"node7"},
		Extra: []string{"--licenses=x"}, Setup: []string{"module load hansa"}, NoRequeue: true}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if none, err := ReadSite("", Named("slurm")); err != nil || !reflect.DeepEqual(none, new(launch.Site)) {
		t.Errorf("%+v, %v", none, err)
	}
}

// The site profile of the README is one.
func TestSiteOfTheREADME(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(readme), "```toml\n[slurm]")
	profile, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("the README has no site profile")
	}
	if s, err := site(t, "[slurm]"+profile); err != nil || s.CPUs != 4 {
		t.Errorf("%+v, %v", s, err)
	}
	for _, k := range Named("slurm").About().Keys {
		if !strings.Contains(string(readme), k.Name) {
			t.Errorf("the README does not name %s", k.Name)
		}
	}
}

// Every mistake in a site profile has its line, and what is allowed.
func TestSiteProblems(t *testing.T) {
	for text, want := range map[string]string{
		"[slurm]\npartitoin = \"a\"":            `site.toml:2:1: unknown key "partitoin" (did you mean "partition"?)`,
		"[slurm]\n  time = 60":                  `site.toml:2:3: time: not 60 (time limit`,
		"[slurm]\nthrottle = 0":                 `site.toml:2:1: throttle: not 0 (tasks at once`,
		"[slurm]\nextra = [\"-x\", 3]":          `site.toml:2:1: extra: not [-x 3] (further options`,
		"[slurm]\nscontrol = \"no\"":            `site.toml:2:1: scontrol: not no (tasks may ask`,
		"[slurm]\n[lsf]\nqueue = \"a\"":         `site.toml:2:2: unknown table "lsf" (known: [slurm]`,
		"partition = \"a\"":                     `site.toml:1:1: unknown table "partition" (known: [slurm]`,
		"[slurm]\ntime = \"1h\"\ntime = \"2h\"": `site.toml:3:`,
		"[slurm]\ntime = \"1s\"":                `site.toml: `,
	} {
		_, err := site(t, text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := ReadSite("nowhere.toml", Named("slurm")); err == nil ||
		err.Error() != "the site profile nowhere.toml: no such file or directory" {
		t.Error(err)
	}
}
