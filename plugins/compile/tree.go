package compile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/hansa-fl/hansa"
)

// A Tree is the source of hansa.
type Tree struct {
	Digest string // SHA-256 of names and texts, in hexadecimal
	texts  map[string][]byte
}

// Carried returns the source that this program carries.
var Carried = sync.OnceValues(func() (*Tree, error) {
	texts, err := hansa.Source()
	if err != nil {
		return nil, err
	}
	delete(texts, list) // it is laid over, and differs in a program that was made so
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		fmt.Fprintf(h, "%s %d\n%s", name, len(texts[name]), texts[name])
	}
	return &Tree{hex.EncodeToString(h.Sum(nil)), texts}, nil
})
