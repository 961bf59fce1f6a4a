package data

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// A WebSample is a sample of a file of the WebDataset format: files of a tar that follow each other
// and have one name up to the first dot. What comes after it says what a file is.
type WebSample struct {
	Key   string
	Files map[string][]byte // by what comes after the dot, in lower case: "jpg", "cls", "json"
}

// mostInSample is how many bytes a file of a sample may have.
const mostInSample = 1 << 28

// ReadWebDataset visits the samples of a tar, which may be packed by gzip, in its order. Content is
// read of files that are wanted alone; others have none. A sample lives until visit returns.
func ReadWebDataset(
	tarred string, wanted func(ending string) bool, visit func(s *WebSample) error, m *Mistakes,
) error {
	u, err := open(tarred)
	if err != nil {
		return err
	}
	err = readSamples(tar.NewReader(&bounded{from: u, mistakes: m}), wanted, visit)
	if errors.Is(err, errOver) {
		m.Partial, err = "some of its samples", nil
	}
	if err = errors.Join(err, u.Close()); err != nil {
		return fmt.Errorf("%s: %w", tarred, err)
	}
	return nil
}

func readSamples(
	t *tar.Reader, wanted func(ending string) bool, visit func(s *WebSample) error,
) error {
	var sample WebSample
	done := func() error {
		if len(sample.Files) == 0 {
			return nil
		}
		return visit(&sample)
	}
	for {
		head, err := t.Next()
		if err == io.EOF {
			return done()
		}
		if err != nil {
			return fmt.Errorf("damaged or cut off after sample %q: %w", sample.Key, err)
		}
		dir, base := path.Split(head.Name)
		name, ending, dotted := strings.Cut(base, ".")
		if head.Typeflag != tar.TypeReg || !dotted || name == "" {
			continue
		}
		if key := dir + name; key != sample.Key || sample.Files == nil {
			if err := done(); err != nil {
				return err
			}
			sample = WebSample{Key: key, Files: map[string][]byte{}}
		}
		ending = strings.ToLower(ending)
		if _, twice := sample.Files[ending]; twice {
			return fmt.Errorf("sample %q has two files %q", sample.Key, ending)
		}
		if sample.Files[ending] = nil; !wanted(ending) {
			continue
		}
		if head.Size > mostInSample {
			return fmt.Errorf("%s has %d bytes", head.Name, head.Size)
		}
		content, err := io.ReadAll(t)
		if err != nil {
			return fmt.Errorf("%s: damaged or cut off: %w", head.Name, err)
		}
		sample.Files[ending] = content
	}
}
