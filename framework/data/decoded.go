package data

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A DecodedCache is a folder of the content of files that take long to decode: a file for every
// key, called by the SHA-256 of the key. Its content is mapped into memory where the system can do
// that, so that processes share it and the system can let go of it. What is in a file is believed
// only if this very program wrote it for the key and its SHA-256 is right, for another one might
// decode otherwise; all else is decoded again, and replaced. A file is written beside its place and
// never changed there.
type DecodedCache struct {
	Dir     string
	Program func() (digest string, ok bool) // of the program that runs; not ok: nothing is kept
	Remark  func(text string)               // is told that a file is damaged; nil: nothing is

	mu     sync.Mutex
	mapped map[string][]byte // by key
}

var _ fl.Decoded = (*DecodedCache)(nil)

// decodedForm begins the files. What follows is the SHA-256 of the program, that of the key, the
// length of the content, and the SHA-256 of all of these and the content, which begins on a page of
// its own.
const (
	decodedForm = "hansa/decoded/1\n"
	decodedHead = 1 << 12
)

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
	name := sha256.Sum256([]byte(key))
	f := decodedFile{filepath.Join(c.Dir, hex.EncodeToString(name[:])), decodedStart(program, key)}
	b, err := f.take()
	if err == nil {
		c.hold(key, b)
		return b, nil
	}
	if !errors.Is(err, fs.ErrNotExist) && c.Remark != nil {
		c.Remark(fmt.Sprintf("%s: %v: it is decoded again", f.path, err))
	}
	if b, err = decode(); err != nil {
		return nil, err
	}
	if len(b) < leastDecoded || f.put(b) != nil {
		return b, nil // it is decoded again next time
	}
	if own, err := f.take(); err == nil {
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

// A decodedFile is the file of a key.
type decodedFile struct {
	path  string
	start []byte // how it begins
}

// take returns the content. An error says why not: fs.ErrNotExist where it is not there, or of
// another program.
func (d *decodedFile) take() ([]byte, error) {
	f, err := os.Open(d.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	head := make([]byte, decodedHead)
	if _, err := io.ReadFull(f, head); err != nil {
		return nil, errors.New("truncated")
	}
	after, ours := bytes.CutPrefix(head, d.start)
	if !ours && bytes.HasPrefix(head, []byte(decodedForm)) && !bytes.Equal(
		head[len(decodedForm):][:sha256.Size], d.start[len(decodedForm):][:sha256.Size]) {
		return nil, fs.ErrNotExist
	}
	if !ours || info.Size() != decodedHead+int64(binary.LittleEndian.Uint64(after)) {
		return nil, errors.New("truncated, or of another form")
	}
	all, err := mapFile(f, int(info.Size()))
	if err != nil {
		return nil, err
	}
	content := all[decodedHead:]
	if !bytes.Equal(head, d.head(content)) {
		unmapFile(all)
		return nil, errors.New("damaged")
	}
	return content, nil
}

// put writes the file.
func (d *decodedFile) put(content []byte) error {
	dir := filepath.Dir(d.path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".new-*") // another process may write the same
	if err != nil {
		return err
	}
	_, err = f.Write(d.head(content))
	if err == nil {
		_, err = f.Write(content)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), d.path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // nothing is in it that counts
	}
	return err
}

// decodedStart returns how a file begins that a program wrote for a key.
func decodedStart(program, key string) []byte {
	b := []byte(decodedForm)
	for _, text := range []string{program, key} {
		sum := sha256.Sum256([]byte(text))
		b = append(b, sum[:]...)
	}
	return b
}

// head returns what precedes a content.
func (d *decodedFile) head(content []byte) []byte {
	b := make([]byte, 0, decodedHead)
	b = binary.LittleEndian.AppendUint64(append(b, d.start...), uint64(len(content)))
	h := sha256.New()
	h.Write(b)
	h.Write(content)
	return h.Sum(b)[:decodedHead]
}

// SumOf returns what tells the content of some files from any other: their SHA-256, in their
// order.
func SumOf(paths []string) (string, error) {
	var all []string
	for _, path := range paths {
		one, err := sum(path)
		if err != nil {
			return "", err
		}
		all = append(all, one)
	}
	return strings.Join(all, " "), nil
}
