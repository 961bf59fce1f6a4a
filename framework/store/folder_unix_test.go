//go:build unix

package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
)

// A named pipe where a file should be is refused: nothing waits for its other end.
func TestPipesAreNoFiles(t *testing.T) {
	r, p := Run{t.TempDir()}, &Plan{Cells: []study.Cell{{}}}
	for _, path := range []string{r.file("results", ab12), r.file("attempts", ab12), r.at(planFile),
		r.ckpt(0), r.at("submissions/s/submission.json"), r.at("bin/" + aaaa + "/hansa"),
		r.at("busy/a.json"), r.at("strategies/" + bbbb + "/a.go")} {
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), syscall.Mkfifo(path, 0o666))
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := everything(r, p); err == nil || strings.Count(err.Error(), "is a named pipe") < 6 {
		t.Errorf("it is not said what they are: %v", err)
	}
}
