package data

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
)

// A Fetcher downloads files of data sets.
type Fetcher struct {
	Client *http.Client
	// Pause waits before the next attempt, longer after more failures in a row. It returns
	// the error of the context when that ends first.
	Pause func(ctx context.Context, failures int) error
	// Progress is called with the bytes so far and their total; 0 when that is unknown.
	Progress func(done, total int64)
	// Remark is called with trouble that is no error yet.
	Remark func(text string)
}

// mostFailures is how many attempts in a row may yield nothing.
const mostFailures = 5

// Fetch downloads a file to a path. What arrives is kept beside it, in path.part, from one
// attempt to the next and from one call to the next; a file stands at the path only when
// its SHA-256 is right. Another content is kept in path.refused, and the error is a
// *DamagedError.
func (f *Fetcher) Fetch(ctx context.Context, file File, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	part := path + ".part"
	resumed, err := f.download(ctx, file, part)
	if err == nil {
		err = Verify(part, file.SHA256)
	}
	if resumed && errors.As(err, new(*DamagedError)) {
		// What was there before may have been of another file.
		f.Remark("what an earlier download left does not fit: starting over")
		if err := os.Remove(part); err != nil {
			return err
		}
		if _, err = f.download(ctx, file, part); err == nil {
			err = Verify(part, file.SHA256)
		}
	}
	var damaged *DamagedError
	switch {
	case errors.As(err, &damaged):
		damaged.Path = path + ".refused"
		return errors.Join(err, os.Rename(part, damaged.Path))
	case err != nil:
		return err
	}
	return os.Rename(part, path)
}

// download completes the part, over as many attempts as it takes, and reports whether it
// began with what was there.
func (f *Fetcher) download(ctx context.Context, file File, part string) (resumed bool, err error) {
	out, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	info, err := out.Stat()
	if err != nil {
		return false, err
	}
	t := &transfer{Fetcher: f, file: file, out: out, have: info.Size(), resumed: info.Size() > 0}
	said := ""
	for failures := 0; file.Size == 0 || t.have != file.Size; {
		before := t.have
		again, err := t.attempt(ctx)
		switch {
		case err == nil:
			return t.resumed, out.Sync()
		case ctx.Err() != nil:
			return t.resumed, ctx.Err()
		case !again:
			return t.resumed, fmt.Errorf("%s: %w", file.URL, err)
		case t.have > before:
			failures = 0
		}
		if failures++; failures == mostFailures {
			return t.resumed, fmt.Errorf("%s: gave up after %d failures in a row: %w; "+
				"%d bytes of it are kept in %s", file.URL, failures, err, t.have, part)
		}
		if now := fmt.Sprintf("%v; trying again from byte %d", err, t.have); now != said {
			f.Remark(now)
			said = now
		}
		if err := f.Pause(ctx, failures); err != nil {
			return t.resumed, err
		}
	}
	return t.resumed, out.Sync()
}

// An UnreachableError says that there is no connection to a host: other files of it cannot be had
// either.
type UnreachableError struct {
	Host string
	Err  error // why
}

// Error implements error.
func (e *UnreachableError) Error() string { return e.Host + " cannot be reached: " + e.Err.Error() }

// Unwrap returns why.
func (e *UnreachableError) Unwrap() error { return e.Err }

// unreachable returns an error of a request to a host as an *UnreachableError, if that is what it
// says.
func unreachable(host string, err error) error {
	var dial *net.OpError
	if !errors.As(err, &dial) || dial.Op != "dial" {
		return err
	}
	var name *net.DNSError
	if errors.As(err, &name) {
		return &UnreachableError{host, errors.New(name.Err)}
	}
	return &UnreachableError{host, dial}
}

// A transfer is a download at work.
type transfer struct {
	*Fetcher
	file File
	out  *os.File
	have int64  // bytes that are there
	etag string // of the file that they are of, where the server gave one

	resumed bool // some of these bytes were there before
}

// attempt requests the missing bytes and appends the answer. It reports whether a retry after an
// error may succeed.
func (t *transfer) attempt(ctx context.Context) (again bool, err error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, t.file.URL, nil)
	if err != nil {
		return false, err
	}
	q.Header.Set("Accept-Encoding", "identity") // a packed file is wanted as it is
	if t.have > 0 {
		q.Header.Set("Range", fmt.Sprintf("bytes=%d-", t.have))
		if t.etag != "" {
			q.Header.Set("If-Range", t.etag)
		}
	}
	a, err := t.Client.Do(q)
	if err != nil {
		return true, unreachable(q.URL.Host, err)
	}
	defer a.Body.Close()
	total, again, err := t.accept(a)
	if err != nil {
		return again, err
	}
	return t.receive(a.Body, total)
}

// accept looks at the head of an answer. It drops what is there unless the answer goes on
// from it, and returns how long the file is; 0 when that is unknown.
func (t *transfer) accept(a *http.Response) (total int64, again bool, err error) {
	switch {
	case a.StatusCode == http.StatusOK:
		if err := t.restart(); err != nil {
			return 0, false, err
		}
		total = max(0, a.ContentLength)
	case a.StatusCode == http.StatusPartialContent:
		var from, to int64
		said := a.Header.Get("Content-Range")
		// A total of * leaves total 0, unknown.
		if n, _ := fmt.Sscanf(said, "bytes %d-%d/%d", &from, &to, &total); n < 2 || from != t.have {
			return 0, true, errors.Join(t.restart(), fmt.Errorf(
				"asked for bytes from %d, got %q", t.have, said))
		}
	case a.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		return 0, true, errors.Join(t.restart(), errors.New(a.Status))
	case a.StatusCode == http.StatusRequestTimeout, a.StatusCode == http.StatusTooManyRequests,
		a.StatusCode >= 500:
		return 0, true, errors.New(a.Status)
	default:
		return 0, false, errors.New(a.Status)
	}
	if tag := a.Header.Get("ETag"); len(tag) > 0 && tag[0] == '"' { // no weak one
		t.etag = tag
	}
	if total > 0 && t.file.Size > 0 && total != t.file.Size {
		return 0, false, fmt.Errorf("%d bytes are offered, the original has %d", total, t.file.Size)
	}
	return total, false, nil
}

// restart drops what is there.
func (t *transfer) restart() error {
	t.have, t.resumed = 0, false
	return t.out.Truncate(0)
}

// receive appends the received bytes to the file.
func (t *transfer) receive(body io.Reader, total int64) (again bool, err error) {
	b := make([]byte, 1<<16)
	for {
		n, err := body.Read(b)
		if _, failed := t.out.WriteAt(b[:n], t.have); failed != nil {
			return false, failed
		}
		t.have += int64(n)
		t.Progress(t.have, total)
		switch {
		case t.file.Size > 0 && t.have > t.file.Size:
			return false, errors.Join(t.restart(), fmt.Errorf(
				"received more than the %d bytes of the original", t.file.Size))
		case errors.Is(err, io.EOF) && t.have < max(total, t.file.Size):
			return true, io.ErrUnexpectedEOF
		case errors.Is(err, io.EOF):
			return false, nil
		case err != nil:
			return true, err
		}
	}
}
