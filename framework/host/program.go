package host

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"sync"
)

// openProgram opens the file of this program, which it stays when another file takes its place.
func openProgram() (*os.File, error) {
	if f, err := os.Open("/proc/self/exe"); err == nil {
		return f, nil
	}
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}

// Digest returns the SHA-256 of the file of this program, if it can be read. It takes long only
// once.
func Digest() (digest string, ok bool) { return ownDigest() }

var ownDigest = sync.OnceValues(func() (digest string, ok bool) {
	f, err := openProgram()
	if err != nil {
		return "", false
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err == nil
})

// Program returns the file of this program, and its SHA-256.
func Program() (content []byte, digest string, err error) {
	f, err := openProgram()
	if err != nil {
		return nil, "", err
	}
	return digested(f)
}

// ReadProgram returns a program that lies in a file, and its SHA-256.
func ReadProgram(path string) (content []byte, digest string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, "", err
	}
	return digested(f)
}

// digested returns what a file holds, and its SHA-256, and closes it.
func digested(f *os.File) (content []byte, digest string, err error) {
	defer f.Close()
	content, err = io.ReadAll(f)
	sum := sha256.Sum256(content)
	return content, hex.EncodeToString(sum[:]), err
}
