package session

import (
	"path/filepath"
	"testing"

	"github.com/hansa-fl/hansa/framework/store"
)

// The folder of the experiment is found again, also where the plan has the whole path of the file,
// as it has on another drive.
func TestFolderOfARebuiltExperiment(t *testing.T) {
	dir := t.TempDir()
	run, file := store.Run{Dir: filepath.Join(dir, "runs", "a")}, filepath.Join(dir, "mine", "a.toml")
	for _, noted := range []string{"../../mine/a.toml", filepath.ToSlash(file)} {
		x, err := RebuildPlan(run, &store.Plan{File: noted}, nil, Budget)
		if err != nil || x.Folder != filepath.Dir(file) {
			t.Errorf("%s: %v, %v", noted, x, err)
		}
	}
}
