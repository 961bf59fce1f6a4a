package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/hansa-fl/hansa/framework/study"
)

// Verify reports whether a cell is done, as Get does but without moving anything. A file that is
// there and does not verify is ErrCorrupt; any other error says why it cannot be read.
func (r Run) Verify(id string, c *study.Cell) (done bool, err error) {
	err = r.within(func(f *folder) (err error) {
		done, err = f.verify(id, c)
		return err
	})
	return done, gone(err)
}

func (f *folder) verify(id string, c *study.Cell) (done bool, err error) {
	name, err := place("results", id, ".json")
	if err != nil {
		return false, err
	}
	content, err := f.read(name)
	if err != nil {
		return false, gone(err)
	}
	if _, err := decode(content, id, c); err != nil {
		return false, fmt.Errorf("%s %w: %w", f.path(name), ErrCorrupt, err)
	}
	return true, nil
}

// unsealed returns what a result file holds, if it is whole.
func unsealed(content []byte) (payload []byte, err error) {
	rest, ok := bytes.CutPrefix(content, []byte(head))
	sum, rest, found := bytes.Cut(rest, []byte(neck))
	payload, whole := bytes.CutSuffix(rest, []byte(tail))
	if !ok || !found || !whole {
		return nil, errors.New("it is not a whole result file")
	}
	if got := sha256.Sum256(payload); hex.EncodeToString(got[:]) != string(sum) {
		return nil, errors.New("its checksum is not that of its content")
	}
	return payload, nil
}
