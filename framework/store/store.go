package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
)

// A Run is one run on disk.
type Run struct{ Dir string }

// ErrCorrupt is what Get wraps when a result file did not verify and was set aside.
var ErrCorrupt = errors.New("did not verify")

// ErrConflict is what Put wraps when a cell produced other numbers than it did before.
var ErrConflict = errors.New("differs from the result that is stored")

const (
	head = `{"sha256":"`
	neck = `","result":`
	tail = "}\n"
)

// place returns where a file of a cell lies. The first two digits of the id keep every
// directory small.
func (r Run) place(kind, id string) string {
	return filepath.Join(r.Dir, kind, id[:min(2, len(id))], id+".json")
}

// Get returns the result of a cell, or nil when there is none. A file that does not
// verify is moved to quarantine and reported as ErrCorrupt; the cell then has no result.
func (r Run) Get(id string) (*engine.Result, error) {
	path := r.place("results", id)
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	result, err := decode(content, id)
	if err == nil {
		return result, nil
	}
	moved, moveErr := r.quarantine(path, id, sha256.Sum256(content))
	if moveErr != nil {
		return nil, moveErr
	}
	return nil, fmt.Errorf("%s %w: %v; moved to %s", path, ErrCorrupt, err, moved)
}

// Put stores the result of a cell. A result that is there already and says the same is
// left alone; one that says something else stays, the new one goes to quarantine, and the
// error wraps ErrConflict: something is not deterministic. So it is where several processes
// put results of one cell at once: the first one stays.
func (r Run) Put(result *engine.Result) error {
	content, err := encode(result)
	if err != nil {
		return err
	}
	path := r.place("results", result.ID)
	for range 3 { // a file that only one of the two calls sees must not hold anybody up
		var old []byte
		old, err = os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = replace(path, linkOrRename, whole(content))
			if errors.Is(err, fs.ErrExist) {
				continue // somebody was faster
			}
			return err
		case err != nil:
			return err // what cannot be read is not to be replaced
		case bytes.Equal(old, content):
			return nil
		}
		if _, err := decode(old, result.ID); err != nil {
			return writeFile(path, content)
		}
		return r.conflict(result.ID, content)
	}
	return err
}

// conflict keeps a result that differs from the one that is stored, under a name that says what
// is in it.
func (r Run) conflict(id string, content []byte) error {
	sum := sha256.Sum256(content)
	moved := filepath.Join(r.Dir, "quarantine", fmt.Sprintf("%s.conflict.%x.json", id, sum[:4]))
	if err := writeFile(moved, content); err != nil {
		return err
	}
	return fmt.Errorf("cell %.12s %w; the new one is in %s", id, ErrConflict, moved)
}

// encode returns the content of a result file: the result and its checksum, as one JSON
// document that ends in a newline.
func encode(result *engine.Result) ([]byte, error) {
	payload, err := json.Marshal(result)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	sum := sha256.Sum256(payload)
	var b bytes.Buffer
	b.WriteString(head + hex.EncodeToString(sum[:]) + neck)
	b.Write(payload)
	b.WriteString(tail)
	return b.Bytes(), nil
}

// decode verifies the content of a result file and returns the result.
func decode(content []byte, id string) (*engine.Result, error) {
	payload, err := unsealed(content)
	if err != nil {
		return nil, err
	}
	result, err := parse(payload)
	if err != nil {
		return nil, err
	}
	if result.ID != id {
		return nil, fmt.Errorf("it is the result of cell %.12s", result.ID)
	}
	return result, nil
}

// parse reads a result. The values of its series, which are nearly all of it, are cut out first:
// encoding/json would go over them three times. In a string, the quotes of the key would be
// escaped.
func parse(payload []byte) (*engine.Result, error) {
	key := []byte(`"values":[`)
	var rest []byte
	var lists [][]byte
	for text, found := payload, true; found; {
		var before []byte
		before, text, found = bytes.Cut(text, key)
		rest = append(rest, before...)
		if found {
			list, after, _ := bytes.Cut(text, []byte("]"))
			rest = append(append(rest, key...), ']')
			lists, text = append(lists, list), after
		}
	}
	var result engine.Result
	if err := json.Unmarshal(rest, &result); err != nil {
		return nil, err
	}
	if len(lists) != len(result.Series) {
		return nil, errors.New("it has lists of values outside of its series")
	}
	for i := range result.Series {
		list := slices.Concat([]byte("["), lists[i], []byte("]"))
		if err := result.Series[i].Values.UnmarshalJSON(list); err != nil {
			return nil, err
		}
	}
	return &result, nil
}

// quarantine moves a file that did not verify out of the way, under a name that says what
// was in it, so that nothing is ever overwritten.
func (r Run) quarantine(path, id string, sum [sha256.Size]byte) (string, error) {
	dir := filepath.Join(r.Dir, "quarantine")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	moved := filepath.Join(dir, fmt.Sprintf("%s.%x%s", id, sum[:4], filepath.Ext(path)))
	return moved, os.Rename(path, moved)
}
