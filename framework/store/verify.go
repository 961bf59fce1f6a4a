package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Verify reports whether a cell is done, as Get does but without reading what its result says and
// without moving anything: of ten thousand cells that is what takes time. A file that is there and
// does not verify is ErrCorrupt.
func (r Run) Verify(id string) (done bool, err error) {
	path := r.place("results", id)
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	payload, err := unsealed(content)
	if err == nil && !bytes.HasPrefix(payload, fmt.Appendf(nil, `{"id":%q,`, id)) {
		err = errors.New("it is the result of another cell")
	}
	if err != nil {
		return false, fmt.Errorf("%s %w: %v", path, ErrCorrupt, err)
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
