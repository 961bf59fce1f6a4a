package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
)

// A DiskCache is a folder of what takes long to make, such as encoders: a file for every key,
// called by the SHA-256 of the key. What is in it is believed only if this very program wrote it
// for this key and nothing has changed since, for another one might make something else of the
// same key; all else is made again, and replaced.
type DiskCache struct {
	Dir     string
	Program func() (digest string, ok bool) // of the program that runs; not ok: nothing is kept
}

var _ engine.DiskCache = (*DiskCache)(nil)

// shelfForm begins the files. What follows is the SHA-256 of all the rest, and the rest: program
// and key, each by its SHA-256, and the content.
const (
	shelfForm = "hansa/shelf/1\n"
	shelfHead = len(shelfForm) + 3*sha256.Size
)

// Take implements engine.DiskCache.
func (s *DiskCache) Take(key string) ([]byte, bool) {
	program, known := s.Program()
	if !known {
		return nil, false
	}
	f, err := openFolder(s.Dir)
	if err != nil {
		return nil, false
	}
	defer f.close()
	file, err := f.read(shelfName(key))
	if err != nil || len(file) < shelfHead {
		return nil, false
	}
	content := file[shelfHead:]
	return content, bytes.Equal(file[:shelfHead], shelfStart(program, key, content))
}

// Put implements engine.DiskCache.
func (s *DiskCache) Put(key string, content []byte) {
	if program, known := s.Program(); known {
		_ = s.put(program, key, content) // or it is made again
	}
}

// put writes the file of a key.
func (s *DiskCache) put(program, key string, content []byte) error {
	f, err := makeFolder(s.Dir)
	if err != nil {
		return err
	}
	defer f.close()
	return f.replace(shelfName(key), f.root.Rename, func(w io.Writer) error {
		_, err := w.Write(shelfStart(program, key, content))
		if err == nil {
			_, err = w.Write(content)
		}
		return err
	})
}

// shelfName returns what the file of a key is called.
func shelfName(key string) string {
	name := sha256.Sum256([]byte(key))
	return hex.EncodeToString(name[:])
}

// shelfStart returns what precedes a content in its file.
func shelfStart(program, key string, content []byte) []byte {
	of, by := sha256.Sum256([]byte(program)), sha256.Sum256([]byte(key))
	h := sha256.New()
	for _, part := range [][]byte{of[:], by[:], content} {
		h.Write(part)
	}
	return slices.Concat([]byte(shelfForm), h.Sum(nil), of[:], by[:])
}
