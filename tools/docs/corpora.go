package main

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/hansa-fl/hansa/plugins/corpora"
)

// otherPrograms says what became of the programs of other people when all were tried.
func otherPrograms(top string) (string, error) {
	text, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(corpora.SummaryFile)))
	if err != nil {
		return "", err
	}
	var s corpora.Summary
	if err := json.Unmarshal(text, &s); err != nil {
		return "", err
	}
	return s.Markdown(), nil
}
