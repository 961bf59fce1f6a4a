package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/data/datatest"
)

// What the README exports, pandas, NumPy, R and Weights & Biases read as it says, and they come to
// the numbers of its table.
func TestExportsAreRead(t *testing.T) {
	c := consoleOf(t)
	if _, err := c.run("run experiments/quickstart.toml"); err != nil { // as the README did before
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(top, results))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "## Take results elsewhere\n")
	for _, m := range regexp.MustCompile("(?s)```(console|python|r)\n(.*?)```").FindAllStringSubmatch(section, -1) {
		switch language, text := m[1], m[2]; language {
		case "console":
			if _, err := c.replay(text); err != nil {
				t.Fatal(err)
			}
		case "r":
			said := c.other(t, datatest.R(t), "-e", text)
			if !regexp.MustCompile(`FedAVOT +2\.52876\de-01 +3\.88255\de-01`).MatchString(said) {
				t.Errorf("R says\n%s", said)
			}
		case "python":
			c.python(t, text)
		}
		if strings.Contains(m[2], "wandb") {
			return // what follows is another section
		}
	}
	t.Error("the README sends nothing to Weights & Biases")
}

// python runs an example.
func (c *console) python(t *testing.T, text string) {
	t.Helper()
	if strings.Contains(text, "updates") {
		said := c.other(t, datatest.NumPy(t), "-c", text)
		if !strings.Contains(said, "[0.71571075 0.24167511 0.04261414] the sum is θᵗ: True") {
			t.Errorf("NumPy says\n%s", said)
		}
		return
	}
	if !strings.Contains(text, "wandb") {
		said := c.other(t, datatest.Pandas(t), "-c", text)
		if !strings.Contains(said, "FedAVOT            0.252876  0.388255") || !strings.Contains(said, "1000.0 0.27702784") {
			t.Errorf("pandas says\n%s", said)
		}
		return
	}
	stand, err := filepath.Abs("testdata/wandb.py")
	if err != nil {
		t.Fatal(err)
	}
	c.other(t, datatest.Pandas(t), "-c", `exec(open("`+stand+`").read())`+"\n"+text+"\nverify(25, 1001)\n")
}

// other runs another program where the exports lie.
func (c *console) other(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = c.work
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}
