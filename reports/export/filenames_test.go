package export

import (
	"fmt"
	"maps"
	"path"
	"testing"
)

// tree collects the files of an export.
func tree(files map[string]string) func(string, []byte) error {
	return func(name string, content []byte) error {
		if _, twice := files[name]; twice || path.Clean(name) != name {
			return fmt.Errorf("%s is written twice, or lies elsewhere", name)
		}
		files[name] = string(content)
		return nil
	}
}

func TestFileNamesAreDistinct(t *testing.T) {
	texts := []string{"FedAVOT/λ", "FedAVOT-λ", "fedavot-λ", "a\x00b", "..", "", "K = 2.", "FedAVOT/λ"}
	got := distinctFileNames(texts)
	want := map[string]string{"FedAVOT/λ": "FedAVOT-λ", "FedAVOT-λ": "FedAVOT-λ~2",
		"fedavot-λ": "fedavot-λ~3", "a\x00b": "a-b", "..": "-", "": "-~2", "K = 2.": "K = 2"}
	if !maps.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
