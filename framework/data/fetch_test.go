package data

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The content of the file that is downloaded: longer than what is read at once.
func content() []byte {
	b := make([]byte, 300_000)
	for i := range b {
		b[i] = byte(i * i >> 5)
	}
	return b
}

// spoilt is as long, and wrong everywhere.
func spoilt() []byte {
	b := content()
	for i := range b {
		b[i] ^= 1
	}
	return b
}

// A page answers one request.
type page func(w http.ResponseWriter, r *http.Request)

// whole serves a content, or the part of it that is asked for.
func whole(b []byte, etag string) page {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", etag)
		http.ServeContent(w, r, "x.gz", time.Time{}, bytes.NewReader(b))
	}
}

// broken serves as next does, and breaks off after so many bytes.
func broken(after int, next page) page {
	return func(w http.ResponseWriter, r *http.Request) {
		next(&cut{w, after}, r)
	}
}

// A cut breaks the connection once so many bytes were written.
type cut struct {
	http.ResponseWriter
	left int
}

func (c *cut) Write(b []byte) (int, error) {
	n := min(len(b), c.left)
	c.left -= n
	// The connection breaks whether these arrived or not.
	_, _ = c.ResponseWriter.Write(b[:n])
	if c.left == 0 {
		_ = http.NewResponseController(c.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	return n, nil
}

// deaf serves all of a content, whatever part is asked for.
func deaf(b []byte) page {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Range")
		whole(b, "")(w, r)
	}
}

// says answers with a status and a line of text.
func says(status int) page {
	return func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "log in first", status)
	}
}

// partial answers with bytes of another range than was asked for.
func partial(said string) page {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Range", said)
		w.WriteHeader(http.StatusPartialContent)
		fmt.Fprint(w, "xxxx")
	}
}

// A mirror answers requests by one page after another, and the rest by the last one.
type mirror struct {
	*httptest.Server
	asked   []string // ranges
	pauses  []int
	remarks []string
	seen    int64  // bytes by the last report
	arrived func() // called when there are some; nil: nothing
}

func newMirror(t *testing.T, pages ...page) *mirror {
	m := &mirror{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k := min(len(m.asked), len(pages)-1)
		m.asked = append(m.asked, strings.TrimPrefix(r.Header.Get("Range"), "bytes="))
		if r.Header.Get("Accept-Encoding") != "identity" {
			t.Error("the server may pack the file once more")
		}
		pages[k](w, r)
	}))
	t.Cleanup(m.Close)
	return m
}

// fetch downloads the file to a path.
func (m *mirror) fetch(ctx context.Context, path string) error {
	f := Fetcher{
		Client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		Pause: func(ctx context.Context, failures int) error {
			m.pauses = append(m.pauses, failures)
			return ctx.Err()
		},
		Progress: func(done, total int64) {
			m.seen = done
			if m.arrived != nil {
				m.arrived()
			}
		},
		Remark: func(text string) { m.remarks = append(m.remarks, text) },
	}
	b := content()
	return f.Fetch(ctx, File{
		Name: "x.gz", Size: int64(len(b)), SHA256: hashOf(string(b)), URL: m.URL + "/x.gz",
	}, path)
}

// Whatever a server does first, in the end the file is there, with its content and nothing
// beside it.
func TestFetch(t *testing.T) {
	right := content()
	wrong := spoilt()
	ok := whole(right, `"1"`)
	for _, c := range []struct {
		name  string
		part  []byte // what an earlier call left
		pages []page
		asked string // ranges, one word per request; - for all
	}{
		{"at once", nil, []page{ok}, "-"},
		{"broken off twice", nil, []page{broken(100_000, ok), broken(50_000, ok), ok},
			"- 100000- 150000-"},
		{"an earlier call left a part", right[:1000], []page{broken(10, ok), ok}, "1000- 1010-"},
		{"an earlier call left all", right, nil, ""},
		{"an earlier call left too much", append(content(), 0), []page{ok, ok}, "300001- -"},
		{"an earlier call left something else", wrong[:1000], []page{ok, ok}, "1000- -"},
		{"a server that knows no ranges", nil, []page{broken(1000, deaf(right)), deaf(right)},
			"- 1000-"},
		{"the file has changed meanwhile", nil, []page{broken(1000, whole(wrong, `"0"`)), ok},
			"- 1000-"},
		{"another range", right[:1000], []page{partial("bytes 0-3/300000"), ok}, "1000- -"},
		{"busy", nil, []page{says(503), says(429), says(408), ok}, "- - - -"},
		{"busy now and then", nil, []page{says(500), says(500), says(500), broken(10, ok), says(500),
			says(500), says(500), ok}, "- - - - 10- 10- 10- 10-"},
	} {
		m := newMirror(t, c.pages...)
		path := filepath.Join(t.TempDir(), "below", "x.gz")
		if c.part != nil {
			write(t, path+".part", string(c.part))
		}
		if err := m.fetch(t.Context(), path); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(got, right) {
			t.Errorf("%s: %d bytes, %v", c.name, len(got), err)
		}
		for i, r := range m.asked {
			if r == "" {
				m.asked[i] = "-"
			}
		}
		if asked := strings.Join(m.asked, " "); asked != c.asked {
			t.Errorf("%s: asked for %s, want %s", c.name, asked, c.asked)
		}
		if c.asked != "" && m.seen != int64(len(right)) {
			t.Errorf("%s: the last report is of %d bytes", c.name, m.seen)
		}
		alone(t, path)
	}
}

// alone fails the test when something lies beside a file.
func alone(t *testing.T, path string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if err != nil || len(found) != 1 {
		t.Errorf("in its folder lie %v, %v", found, err)
	}
}

// A wrong content is kept aside, and nothing stands at the path.
func TestFetchRefusesWrongContent(t *testing.T) {
	wrong := spoilt()
	m := newMirror(t, whole(wrong, `"1"`))
	path := filepath.Join(t.TempDir(), "x.gz")
	err := m.fetch(t.Context(), path)
	var damaged *DamagedError
	if !errors.As(err, &damaged) || damaged.Path != path+".refused" ||
		damaged.Got != hashOf(string(wrong)) || damaged.Want != hashOf(string(content())) {
		t.Errorf("error %v", err)
	}
	if got, err := os.ReadFile(path + ".refused"); err != nil || !bytes.Equal(got, wrong) {
		t.Errorf("kept are %d bytes, %v", len(got), err)
	}
	alone(t, path+".refused")
	if len(m.asked) != 1 {
		t.Errorf("asked %d times for what cannot be right", len(m.asked))
	}
}

// Errors that another attempt would not mend end it at once.
func TestFetchRefuses(t *testing.T) {
	short, long := content()[1:], append(content(), 0)
	chunked := func(w http.ResponseWriter, _ *http.Request) {
		for range 10 {
			// The client hangs up when it has had enough.
			_, _ = w.Write(content())
		}
	}
	for want, p := range map[string]page{
		"404 Not Found": says(404), "403 Forbidden": says(403),
		"299999 bytes are offered, the original has 300000":   whole(short, ""),
		"300001 bytes are offered, the original has 300000":   whole(long, ""),
		"received more than the 300000 bytes of the original": chunked,
	} {
		m := newMirror(t, p)
		path := filepath.Join(t.TempDir(), "x.gz")
		err := m.fetch(t.Context(), path)
		if err == nil || err.Error() != m.URL+"/x.gz: "+want {
			t.Errorf("error %v, want %q after the address", err, want)
		}
		if len(m.asked) != 1 {
			t.Errorf("%s: asked %d times", want, len(m.asked))
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: a file is there", want)
		}
	}
}

// What never gets better is given up, says how much there is, and goes on from there later.
func TestFetchGivesUp(t *testing.T) {
	ok := whole(content(), `"1"`)
	for name, p := range map[string]page{"busy": says(503), "no range": partial("")} {
		m := newMirror(t, broken(1000, ok), p)
		path := filepath.Join(t.TempDir(), "x.gz")
		err := m.fetch(t.Context(), path)
		const want = "gave up after 5 failures in a row: "
		if err == nil || !strings.HasPrefix(err.Error(), m.URL+"/x.gz: "+want) ||
			!strings.HasSuffix(err.Error(), " bytes of it are kept in "+path+".part") {
			t.Errorf("%s: error %v", name, err)
		}
		if fmt.Sprint(m.pauses) != "[1 2 3 4]" || len(m.remarks) != 2 { // one for each trouble
			t.Errorf("%s: waited %v, said %q", name, m.pauses, m.remarks)
		}
		again := newMirror(t, ok)
		if err := again.fetch(t.Context(), path); err != nil {
			t.Errorf("%s: later: %v", name, err)
		}
		if kept, _, _ := strings.Cut(again.asked[0], "-"); name == "busy" && kept != "1000" {
			t.Errorf("later it asked from byte %s", kept)
		}
	}
	gone := newMirror(t, ok)
	gone.Close()
	if err := gone.fetch(t.Context(), filepath.Join(t.TempDir(), "x")); err == nil ||
		!strings.Contains(err.Error(), "gave up") {
		t.Errorf("without a listener: error %v", err)
	}
}

// An interrupted download leaves what has arrived, and no file.
func TestFetchInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	m := newMirror(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(content())))
		// It hangs after these.
		_, _ = w.Write(content()[:2000])
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	path := filepath.Join(t.TempDir(), "x.gz")
	m.arrived = stop
	if err := m.fetch(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if got, err := os.ReadFile(path + ".part"); err != nil || !bytes.Equal(got, content()[:2000]) {
		t.Errorf("kept are %d bytes, %v", len(got), err)
	}
	alone(t, path+".part")
	if len(m.asked) != 1 {
		t.Errorf("asked %d times", len(m.asked))
	}
}

// Where nothing can be written nothing is asked for.
func TestFetchToNowhere(t *testing.T) {
	m := newMirror(t, whole(content(), ""))
	blocked := file(t, "x", nil)
	if err := m.fetch(t.Context(), filepath.Join(blocked, "below", "x.gz")); err == nil {
		t.Error("a folder was made below a file")
	}
	path := filepath.Join(t.TempDir(), "x.gz")
	if err := os.Mkdir(path+".part", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := m.fetch(t.Context(), path); err == nil {
		t.Error("a folder was written to")
	}
	if len(m.asked) > 0 {
		t.Errorf("asked %d times", len(m.asked))
	}
}
