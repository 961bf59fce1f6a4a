package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// code returns where the files of a strategy are kept.
func (r Run) code(digest string) string {
	return filepath.Join(r.Dir, "strategies", strings.TrimPrefix(digest, "sha256:"))
}

// SaveCode keeps the files of a strategy, so that a run can go on wherever and whenever, though
// its author has changed it since.
func (r Run) SaveCode(digest string, texts map[string]string) error {
	for name, text := range texts {
		path := filepath.Join(r.code(digest), name)
		if old, err := os.ReadFile(path); err == nil && string(old) == text {
			continue
		}
		if err := writeFile(path, []byte(text)); err != nil {
			return err
		}
	}
	return nil
}

// LoadCode returns the files of a strategy by their names; nothing where it was not kept. Whether
// they are what they were is for the caller, who knows how the digest is made.
func (r Run) LoadCode(digest string) (map[string]string, error) {
	entries, err := os.ReadDir(r.code(digest))
	if err != nil {
		return nil, fmt.Errorf("the code of a strategy: %w", err)
	}
	texts := map[string]string{}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") { // somebody is writing
			continue
		}
		text, err := os.ReadFile(filepath.Join(r.code(digest), e.Name()))
		if err != nil {
			return nil, err
		}
		texts[e.Name()] = string(text)
	}
	return texts, nil
}
