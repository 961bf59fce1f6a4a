package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
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

// at returns where a name in the run is, for messages.
func (r Run) at(name string) string { return filepath.Join(r.Dir, filepath.FromSlash(name)) }

// Get returns the result of a cell, or nil when there is none. A file that does not
// verify is moved to quarantine and reported as ErrCorrupt; the cell then has no result.
// Any other error says why it cannot be read.
func (r Run) Get(id string, c *study.Cell) (result *engine.Result, err error) {
	err = r.within(func(f *folder) (err error) {
		result, err = f.get(id, c)
		return err
	})
	return result, gone(err)
}

func (f *folder) get(id string, c *study.Cell) (*engine.Result, error) {
	name, err := place("results", id, ".json")
	if err != nil {
		return nil, err
	}
	content, err := f.read(name)
	if err != nil {
		return nil, gone(err)
	}
	result, err := decode(content, id, c)
	if err == nil {
		return result, nil
	}
	return nil, f.quarantine(name, id, err, sha256.Sum256(content))
}

// Put stores the result of a cell. A result that is there already and says the same is
// left alone; one that says something else stays, the new one goes to quarantine, and the
// error wraps ErrConflict: something is not deterministic. So it is where several processes
// put results of one cell at once: the first one stays.
func (r Run) Put(result *engine.Result) error {
	return r.storing(func(f *folder) error { return f.put(result) })
}

func (f *folder) put(result *engine.Result) error {
	content, err := encode(result)
	if err != nil {
		return err
	}
	name, err := place("results", result.ID, ".json")
	if err != nil {
		return err
	}
	for range 3 { // a file that only one of the two calls sees must not hold anything up
		var old []byte
		old, err = f.read(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = f.replace(name, f.linkOrRename, whole(content))
			if errors.Is(err, fs.ErrExist) {
				continue // another process was faster
			}
			return err
		case err != nil:
			return err // what cannot be read is not to be replaced
		case bytes.Equal(old, content):
			return nil
		}
		stored, err := decode(old, result.ID, nil)
		if err != nil {
			return f.write(name, content)
		}
		if again, err := encode(stored); err != nil || bytes.Equal(again, content) {
			return err // it says the same, in units of before
		}
		return f.conflict(result.ID, content)
	}
	return err
}

// conflict keeps a result that differs from the one that is stored, under a name that says what
// is in it.
func (f *folder) conflict(id string, content []byte) error {
	sum := sha256.Sum256(content)
	moved := fmt.Sprintf("quarantine/%s.conflict.%x.json", id, sum[:4])
	if err := f.write(moved, content); err != nil {
		return err
	}
	return fmt.Errorf("training run %.12s %w; the new one is in %s", id, ErrConflict, f.path(moved))
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

// Digest returns the SHA-256 of a result as it is stored, in hexadecimal: two results have the same
// where they are equal to the last bit.
func Digest(result *engine.Result) (string, error) {
	payload, err := json.Marshal(result)
	if err != nil {
		return "", fmt.Errorf("store: %w", err)
	}
	sum := sha256.Sum256(payload)
	return hex.EncodeToString(sum[:]), nil
}

// decode verifies the content of a result file and returns the result. Without a cell it verifies
// what holds for the results of all cells.
func decode(content []byte, id string, c *study.Cell) (*engine.Result, error) {
	payload, err := unsealed(content)
	if err != nil {
		return nil, err
	}
	result, err := parse(payload)
	if err != nil {
		return nil, err
	}
	if result.ID != id {
		return nil, fmt.Errorf("it is the result of training run %.12q", result.ID)
	}
	return result, check(result, c)
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
		result.Series[i].InBytes()
	}
	return &result, nil
}

// quarantine moves a file that did not verify out of the way, under a name that says what
// was in it, so that nothing is ever overwritten. It returns the error that says so.
func (f *folder) quarantine(name, id string, why error, sum [sha256.Size]byte) error {
	moved := fmt.Sprintf("quarantine/%s.%x%s", id, sum[:4], path.Ext(name))
	err := f.direct(moved)
	if err == nil {
		err = f.root.MkdirAll("quarantine", 0o777)
	}
	if err == nil {
		err = f.root.Rename(name, moved)
	}
	if err != nil {
		return fmt.Errorf("%s %w: %w; it stays there: %w", f.path(name), ErrCorrupt, why,
			f.named(err))
	}
	return fmt.Errorf("%s %w: %w; moved to %s", f.path(name), ErrCorrupt, why, f.path(moved))
}
