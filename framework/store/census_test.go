package store

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
)

func TestCensus(t *testing.T) {
	r := Run{filepath.Join(t.TempDir(), "run")}
	p := &Plan{Cells: make([]study.Cell, 6)}
	for i := range p.Cells { // the last is the first
		p.Cells[i].Seed = uint64(i % 5)
		p.IDs = append(p.IDs, p.Cells[i].ID())
	}
	p.Hash = HashOf(p.IDs)
	if _, err := r.Census(p); err != nil {
		t.Errorf("of nothing: %v", err)
	}
	if err := r.SavePlan(p); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{p.IDs[0], p.IDs[1], ab12} {
		if err := r.Put(&engine.Result{ID: id}); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{p.IDs[1], p.IDs[2]} { // the first succeeded later
		if err := r.SaveFailure(id, &Failure{Message: "no"}); err != nil {
			t.Fatal(err)
		}
	}
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	size := int64(0)
	err := filepath.Walk(r.Dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			size += info.Size()
			noon = noon.Add(time.Second)
			return os.Chtimes(path, noon, noon)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	result := r.file("results", p.IDs[0])
	if err := os.Chtimes(result, noon, noon.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	// A file that is being written has a size, and is no result.
	if err := os.WriteFile(filepath.Join(filepath.Dir(result), "."+p.IDs[3]+".json.1.0"), []byte("12"), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := r.Census(p)
	if err != nil || c.Done != 2 || c.Failed != 1 || c.Missing != 2 || c.Bytes != size+2 ||
		!c.Last.Equal(noon.Add(time.Hour)) {
		t.Errorf("%+v, %v; want %d bytes, last %v", c, err, size+2, noon.Add(time.Hour))
	}
}
