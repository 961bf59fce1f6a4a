package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"

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
	if err != nil {
		return nil, false
	}
	if len(file) < shelfHead {
		return nil, false
	}
	content := file[shelfHead:]
	if !bytes.Equal(file, sealed(program, key, content)) {
		return nil, false
	}
	return content, true
}

// Put implements engine.DiskCache.
func (s *DiskCache) Put(key string, content []byte) {
	program, known := s.Program()
	if !known {
		return
	}
	f, err := makeFolder(s.Dir)
	if err != nil {
		return // it is made again
	}
	defer f.close()
	_ = f.write(shelfName(key), sealed(program, key, content)) // or it is made again
}

// shelfName returns what the file of a key is called.
func shelfName(key string) string {
	name := sha256.Sum256([]byte(key))
	return hex.EncodeToString(name[:])
}

// sealed returns the file with a content.
func sealed(program, key string, content []byte) []byte {
	of := func(text string) []byte {
		sum := sha256.Sum256([]byte(text))
		return sum[:]
	}
	rest := bytes.Join([][]byte{of(program), of(key), content}, nil)
	sum := sha256.Sum256(rest)
	return bytes.Join([][]byte{[]byte(shelfForm), sum[:], rest}, nil)
}
