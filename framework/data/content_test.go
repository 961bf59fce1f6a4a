package data

import (
	"bytes"
	"compress/gzip"
	"errors"
	"path/filepath"
	"testing"
)

// gzipped returns a text packed by gzip, by a level and under a name.
func gzipped(t *testing.T, text string, level int, name string) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	z.Name = name
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A file whose content is known may be packed anew, or lie unpacked; another content is refused,
// however it is packed, with the sum of the file as it is. Where the content is not known, the
// bytes count.
func TestContentCounts(t *testing.T) {
	published := gzipped(t, "abc", gzip.BestCompression, "x")
	sum, err := sum(file(t, "x.gz", published))
	if err != nil {
		t.Fatal(err)
	}
	f := File{Name: "x.gz", Size: int64(len(published)), SHA256: sum, Content: abc}
	anew := gzipped(t, "abc", gzip.NoCompression, "")
	for _, c := range []struct {
		name    string
		content []byte
		right   bool
	}{
		{"x.gz", published, true}, {"x.gz", anew, true}, {"x", []byte("abc"), true},
		{"x.gz", gzipped(t, "abd", gzip.BestCompression, "x"), false}, {"x", []byte("abd"), false},
		{"x.gz", anew[:len(anew)-1], false}, {"x.gz", anew[:5], false}, {"x", nil, false},
	} {
		path := file(t, c.name, c.content)
		found, err := (&Set{Name: "x", Files: []File{f}}).Find([]string{filepath.Dir(path)})
		if err != nil || found[0] != path {
			t.Fatalf("found %v, %v; want %s", found, err, path)
		}
		likely := c.right || len(c.content) == len(published) // which is all that is looked at
		if got := f.Likely(path); got != likely {
			t.Errorf("%s of %d bytes is likely: %v", c.name, len(c.content), got)
		}
		var damaged *DamagedError
		err = f.Verify(path)
		if c.right && err != nil || !c.right && !errors.As(err, &damaged) {
			t.Errorf("%s of %d bytes: error %v", c.name, len(c.content), err)
		}
		if bare := (File{Name: f.Name, SHA256: sum}); (bare.Verify(path) == nil) !=
			bytes.Equal(c.content, published) {
			t.Errorf("%s of %d bytes: its content counts, which is not known", c.name,
				len(c.content))
		}
	}
	if err := f.Verify(filepath.Join(t.TempDir(), "x")); err == nil {
		t.Error("an absent file is right")
	}
}

// Where the time is over before, nothing is compared.
func TestContentIsExaminedInTime(t *testing.T) {
	m := &Mistakes{Over: func() bool { return true }}
	f := File{Name: "x.gz", SHA256: abc, Content: abc}
	path := file(t, "x.gz", gzipped(t, "abc", gzip.BestSpeed, ""))
	if err := f.Examine(path, m); err != nil || len(m.List()) > 0 || m.Partial == "" {
		t.Errorf("%v, %v, %q", err, m.List(), m.Partial)
	}
}
