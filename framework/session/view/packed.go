package view

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/host"
)

// packed is the end of the name of a file that gzip makes smaller.
const packed = ".gz"

// mostUnpacked bounds the bytes of a file of records, packed or not.
const mostUnpacked = 1 << 30

// fileOfRecords reports whether an argument is named like a file of records.
func fileOfRecords(path string) bool {
	return filepath.Ext(strings.TrimSuffix(path, packed)) == ".json"
}

// readPacked returns the bytes of a file, packed by gzip or not.
func readPacked(path string) ([]byte, error) {
	in, err := data.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, mostUnpacked+1))
	if err == nil && len(text) > mostUnpacked {
		err = fmt.Errorf("it has more than %s", host.Bytes(mostUnpacked))
	}
	return text, err
}

// writePacked writes a file, packed where its name says so, and returns how many bytes it has. The
// same bytes are packed to the same bytes: neither a name nor a time is among them.
func writePacked(path string, text []byte) (int, error) {
	if filepath.Ext(path) == packed {
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		if err != nil {
			return 0, err
		}
		if _, err := w.Write(text); err != nil {
			return 0, err
		}
		if err := w.Close(); err != nil {
			return 0, err
		}
		text = b.Bytes()
	}
	return len(text), host.Replace(path, func(out io.Writer) error {
		_, err := out.Write(text)
		return err
	})
}
