package store

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// code returns where the files of a strategy are kept.
func code(digest string) (string, error) {
	sum := strings.TrimPrefix(digest, "sha256:")
	if !hex64.MatchString(sum) {
		return "", fmt.Errorf("%.80q is no digest of a strategy", digest)
	}
	return "strategies/" + sum, nil
}

// SaveCode keeps the files of a strategy, so that a run can go on wherever and whenever, though
// its author has changed it since.
func (r Run) SaveCode(digest string, texts map[string]string) error {
	at, err := code(digest)
	if err != nil {
		return err
	}
	return r.storing(func(f *folder) error {
		for name, text := range texts {
			name = path.Join(at, path.Base(name))
			if old, err := f.read(name); err == nil && string(old) == text {
				continue
			}
			if err := f.write(name, []byte(text)); err != nil {
				return err
			}
		}
		return nil
	})
}

// LoadCode returns the files of a strategy by their names; nothing where it was not kept. The
// caller verifies them by their digest.
func (r Run) LoadCode(digest string) (texts map[string]string, err error) {
	at, err := code(digest)
	if err != nil {
		return nil, err
	}
	texts = map[string]string{}
	err = r.within(func(f *folder) error {
		entries, err := f.entries(at)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".") { // it is being written
				continue
			}
			text, err := f.read(path.Join(at, e.Name()))
			if err != nil {
				return err
			}
			texts[e.Name()] = string(text)
		}
		return nil
	})
	if err == nil && len(texts) == 0 {
		err = &fs.PathError{Op: "open", Path: r.at(at), Err: fs.ErrNotExist}
	}
	if err != nil {
		return nil, fmt.Errorf("the code of a strategy: %w", err)
	}
	return texts, nil
}
