package store

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"sync"
)

// A DecodedCache is a DiskCache of the content of files that take long to decode, see fl.Decoded.
// Content is mapped into memory where the system can do that, so that processes share it and the
// system can let go of it.
type DecodedCache struct {
	DiskCache
	Remark func(text string) // is told that a file is damaged; nil: nothing is

	mu     sync.Mutex
	mapped map[string][]byte // by key
}

// leastDecoded is how many bytes a content has at least that is kept: less is decoded as fast.
const leastDecoded = 1 << 20

// Recall implements fl.Decoded.
func (c *DecodedCache) Recall(key string, decode func() ([]byte, error)) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b, ok := c.mapped[key]; ok {
		return b, nil
	}
	program, known := c.Program()
	if !known {
		return decode()
	}
	b, err := c.take(program, key)
	if err == nil {
		c.hold(key, b)
		return b, nil
	}
	if !errors.Is(err, fs.ErrNotExist) && c.Remark != nil {
		c.Remark(fmt.Sprintf("%v: it is decoded again", err))
	}
	if b, err = decode(); err != nil {
		return nil, err
	}
	if len(b) < leastDecoded || c.put(program, key, b) != nil {
		return b, nil // it is decoded again next time
	}
	if own, err := c.take(program, key); err == nil {
		b = own // and the other copy is let go
		c.hold(key, b)
	}
	return b, nil
}

// hold keeps what is mapped, for it is never unmapped.
func (c *DecodedCache) hold(key string, b []byte) {
	if c.mapped == nil {
		c.mapped = map[string][]byte{}
	}
	c.mapped[key] = b
}

// take maps the content of a key. An error says why not: fs.ErrNotExist where it is not there, or
// of another program.
func (c *DecodedCache) take(program, key string) ([]byte, error) {
	f, err := openFolder(c.Dir)
	if err != nil {
		return nil, err
	}
	defer f.close()
	file, err := f.open(shelfName(key))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	damaged := &fs.PathError{Op: "read", Path: f.path(shelfName(key)), Err: errors.New("damaged")}
	if info.Size() < int64(shelfHead) {
		return nil, damaged
	}
	all, err := mapFile(file, int(info.Size()))
	if err != nil {
		return nil, err
	}
	content := all[shelfHead:]
	start := shelfStart(program, key, content)
	if bytes.Equal(all[:shelfHead], start) {
		return content, nil
	}
	defer unmapFile(all)
	const of = len(shelfForm) + sha256.Size // where it says which program wrote it
	if bytes.HasPrefix(all, []byte(shelfForm)) &&
		!bytes.Equal(all[of:][:sha256.Size], start[of:][:sha256.Size]) {
		return nil, fs.ErrNotExist
	}
	return nil, damaged
}
