package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/data/datatest"
	"github.com/hansa-fl/hansa/framework/session/datasets"
)

// A mirror serves the files of USPS from the data sets of tests, as faults make it.
type mirror struct {
	*httptest.Server
	asked  atomic.Int32 // requests
	faults func(name string, w http.ResponseWriter, r *http.Request) (done bool)
}

func newMirror(t *testing.T) *mirror {
	m := &mirror{}
	files := http.FileServer(http.Dir(filepath.Join(datatest.Folder(t), "usps")))
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.asked.Add(1)
		if m.faults == nil || !m.faults(filepath.Base(r.URL.Path), w, r) {
			files.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(m.Close)
	return m
}

// get downloads USPS from the mirror, without pauses. What is said is shown with SERVER for
// the address, and without the folder.
func (m *mirror) get(t *testing.T, ctx context.Context, folder string) (code int, said string) {
	t.Helper()
	var out, errOut strings.Builder
	c := newCommand(&out, &errOut)
	c.pause = func(ctx context.Context, _ int) error { return ctx.Err() }
	code = c.execute(ctx, []string{"data", "get", "usps", "--from", m.URL + "/", "--to", folder})
	if out.Len() > 0 {
		t.Errorf("it printed %s", &out)
	}
	said = strings.ReplaceAll(errOut.String(), m.URL, "SERVER")
	return code, strings.ReplaceAll(said, folder, "FOLDER")
}

// complete fails the test unless all files of USPS are there as they should be.
func complete(t *testing.T, folder string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(datatest.Folder(t), "usps", "*.gz"))
	if err != nil || len(files) != 4 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, path := range files {
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(folder, "usps", filepath.Base(path)))
		if err != nil || string(got) != string(want) {
			t.Errorf("%s: %d bytes of %d, %v", filepath.Base(path), len(got), len(want), err)
		}
	}
	if found, _ := filepath.Glob(filepath.Join(folder, "usps", "*")); len(found) != 4 {
		t.Errorf("there are %v", found)
	}
}

const images = "usps-train-images.idx3-ubyte.gz"

// halfway breaks the connection off after half of the images, once.
func halfway(t *testing.T) func(string, http.ResponseWriter, *http.Request) bool {
	content, err := os.ReadFile(filepath.Join(datatest.Folder(t), "usps", images))
	if err != nil {
		t.Fatal(err)
	}
	var broken atomic.Bool
	return func(name string, w http.ResponseWriter, _ *http.Request) bool {
		if name != images || broken.Swap(true) {
			return false
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		if _, err := w.Write(content[:400_000]); err != nil {
			t.Error(err)
		}
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		panic(http.ErrAbortHandler)
	}
}

// A connection that breaks is taken up again; what is there is not downloaded again.
func TestDataGet(t *testing.T) {
	m, folder := newMirror(t), t.TempDir()
	m.faults = halfway(t)
	code, said := m.get(t, t.Context(), folder)
	const want = `     usps/usps-train-images.idx3-ubyte.gz: unexpected EOF; trying again from byte 400000
ok   usps/usps-train-images.idx3-ubyte.gz: 849 kB, verified: FOLDER/usps/usps-train-images.idx3-ubyte.gz
ok   usps/usps-train-labels.idx1-ubyte.gz: 3.43 kB, verified: FOLDER/usps/usps-train-labels.idx1-ubyte.gz
ok   usps/usps-test-images.idx3-ubyte.gz: 236 kB, verified: FOLDER/usps/usps-test-images.idx3-ubyte.gz
ok   usps/usps-test-labels.idx1-ubyte.gz: 979 B, verified: FOLDER/usps/usps-test-labels.idx1-ubyte.gz
`
	if code != exitOK || said != want || m.asked.Load() != 5 {
		t.Errorf("exit code %d, %d requests\n%s", code, m.asked.Load(), said)
	}
	complete(t, folder)
	code, said = m.get(t, t.Context(), folder)
	if code != exitOK || strings.Count(said, "was there, verified: FOLDER/usps/") != 4 ||
		m.asked.Load() != 5 {
		t.Errorf("again: exit code %d, %d requests\n%s", code, m.asked.Load(), said)
	}
}

// Wrong bytes are refused, kept aside and never used; the other files are had all the same.
// Another mirror mends it.
func TestDataGetRefuses(t *testing.T) {
	m, folder := newMirror(t), t.TempDir()
	m.faults = func(name string, w http.ResponseWriter, _ *http.Request) bool {
		if name == images {
			fmt.Fprint(w, strings.Repeat("x", 849_165))
		}
		return name == images
	}
	code, said := m.get(t, t.Context(), folder)
	for _, want := range []string{
		"FAIL usps/" + images + ": FOLDER/usps/" + images + ".refused: damaged or not the original: " +
			"SHA-256 ",
		"1 file is missing; `hansa data get usps --from SERVER/ --to FOLDER` tries again\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it did not say %q:\n%s", want, said)
		}
	}
	if code != exitFailed || strings.Count(said, "ok   ") != 3 || m.asked.Load() != 4 {
		t.Errorf("exit code %d, %d requests\n%s", code, m.asked.Load(), said)
	}
	path := filepath.Join(folder, "usps", images)
	if _, err := os.Stat(path); err == nil {
		t.Error("wrong bytes stand where the file should be")
	}
	if err := os.Remove(path + ".refused"); err != nil {
		t.Error(err)
	}
	m.faults = nil
	if code, said := m.get(t, t.Context(), folder); code != exitOK {
		t.Errorf("exit code %d\n%s", code, said)
	}
	complete(t, folder)

	// What was damaged where it lies is put aside, too.
	if err := flip(path); err != nil {
		t.Fatal(err)
	}
	code, said = m.get(t, t.Context(), folder)
	if code != exitOK || !strings.Contains(said, "it is kept as FOLDER/usps/"+images+".refused\n") {
		t.Errorf("exit code %d\n%s", code, said)
	}
	if err := os.Remove(path + ".refused"); err != nil {
		t.Error(err)
	}
	complete(t, folder)
}

// What a mirror does not have is said, with what else to try; what keeps breaking is given
// up, and goes on later where it was.
func TestDataGetFails(t *testing.T) {
	m, folder := newMirror(t), t.TempDir()
	m.faults = func(_ string, w http.ResponseWriter, r *http.Request) bool {
		http.NotFound(w, r)
		return true
	}
	code, said := m.get(t, t.Context(), folder)
	if code != exitFailed || strings.Count(said, "gz: 404 Not Found\n") != 4 || m.asked.Load() != 4 {
		t.Errorf("exit code %d, %d requests\n%s", code, m.asked.Load(), said)
	}

	half := halfway(t)
	m.faults = func(name string, w http.ResponseWriter, r *http.Request) bool {
		if !half(name, w, r) {
			http.Error(w, "busy", http.StatusServiceUnavailable)
		}
		return true
	}
	code, said = m.get(t, t.Context(), folder)
	if want := "gave up after 5 failures in a row: 503 Service Unavailable; 400000 bytes of it are " +
		"kept in FOLDER/usps/" + images + ".part\n"; code != exitFailed || !strings.Contains(said, want) {
		t.Errorf("exit code %d, want %q\n%s", code, want, said)
	}
	m.faults = func(name string, _ http.ResponseWriter, r *http.Request) bool {
		if asked := r.Header.Get("Range"); name == images && asked != "bytes=400000-" {
			t.Errorf("it asked for %q", asked)
		}
		return false
	}
	if code, said := m.get(t, t.Context(), folder); code != exitOK {
		t.Errorf("exit code %d\n%s", code, said)
	}
	for _, f := range []string{"train-labels.idx1", "test-images.idx3", "test-labels.idx1"} {
		part := filepath.Join(folder, "usps", "usps-"+f+"-ubyte.gz.part")
		if _, err := os.Stat(part); err == nil {
			t.Errorf("%s was left", part)
		}
	}
	complete(t, folder)
}

// An interrupt ends it, and says how to go on.
func TestDataGetInterrupted(t *testing.T) {
	m, folder := newMirror(t), t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	m.faults = func(name string, _ http.ResponseWriter, r *http.Request) bool {
		if strings.Contains(name, "test-images") {
			stop()
			<-r.Context().Done()
		}
		return false
	}
	code, said := m.get(t, ctx, folder)
	const want = "interrupted: what has arrived is kept; go on with `hansa data get usps " +
		"--from SERVER/ --to FOLDER`\n"
	if code != exitInterrupted || !strings.HasSuffix(said, want) || strings.Count(said, "ok ") != 2 {
		t.Errorf("exit code %d\n%s", code, said)
	}
}

// What is downloaded without --to lies where experiments look for it: in $HANSA_DATA, or
// else in the folder of caches.
func TestDataGetIsFound(t *testing.T) {
	m, cache := newMirror(t), t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	for _, at := range []string{"", t.TempDir()} {
		t.Setenv("HANSA_DATA", at)
		t.Chdir(t.TempDir())
		var out, errOut strings.Builder
		if code := hansa(t.Context(), &out, &errOut, []string{"data", "get", "usps", "--from", m.URL}); code != 0 {
			t.Fatalf("exit code %d\n%s", code, &errOut)
		}
		const experiment = `
[setting]
clients      = 2
rounds       = 1
dataset      = { name = "usps", train = 20, test = 10 }
partition    = "iid"
importance   = "uniform"
model        = "softmax"
local        = { name = "sgd", steps = 1, lr = 0.1 }
metrics      = ["accuracy"]
[[method]]
label      = "FedAvg"
aggregator = "fedavg"
`
		if err := os.WriteFile("digits.toml", []byte(experiment), 0o666); err != nil {
			t.Fatal(err)
		}
		if code := hansa(t.Context(), &out, &errOut, []string{"run", "digits.toml"}); code != 0 {
			t.Errorf("exit code %d\n%s", code, &errOut)
		}
	}
}

// An archive is not downloaded where all its parts lie unpacked and are right, but where
// one is damaged it is.
func TestDataGetUnpacked(t *testing.T) {
	folder := t.TempDir()
	archive := "not packed, which is not looked at"
	set := data.Set{
		Name:  "set",
		Files: []data.File{{Name: "set.tar.gz", Size: int64(len(archive)), SHA256: hashOf(archive)}},
		Parts: []data.File{{Name: "a.bin", SHA256: hashOf("alpha")}, {Name: "b.bin", SHA256: hashOf("beta")}},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, archive)
	}))
	defer server.Close()
	set.Files[0].URL = server.URL + "/set.tar.gz"
	get := func() string {
		var errOut strings.Builder
		g := newCommand(nil, &errOut).download(folder, "")
		if err := g.All(t.Context(), []data.Set{set}, ""); err != nil {
			t.Errorf("%v\n%s", err, &errOut)
		}
		return strings.ReplaceAll(errOut.String(), folder, "FOLDER")
	}
	for name, content := range map[string]string{"a.bin": "alpha", "b.bin": "beta"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if said := get(); said != "ok   set: unpacked and verified in FOLDER\n" {
		t.Error(said)
	}
	if text := datasets.Where(set, []string{folder}); text != "unpacked in "+folder {
		t.Error(text)
	}
	if err := flip(filepath.Join(folder, "b.bin")); err != nil {
		t.Fatal(err)
	}
	said := get()
	if !strings.HasPrefix(said, "FOLDER/b.bin: damaged or not the original: ") ||
		!strings.Contains(said, "; remove it\n") ||
		!strings.HasSuffix(said, "ok   set/set.tar.gz: 34 B, verified: FOLDER/set/set.tar.gz\n") {
		t.Error(said)
	}
	if text := datasets.Where(set, []string{folder}); text != "in "+filepath.Join(folder, "set") {
		t.Error(text)
	}
}

func hashOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// That a host cannot be reached is said of its first file, and not again with every attempt.
func TestDataGetOffline(t *testing.T) {
	m := newMirror(t)
	m.Close()
	code, said := m.get(t, t.Context(), t.TempDir())
	if code != exitFailed || strings.Count(said, "cannot be reached") != 2 ||
		strings.Count(said, "FAIL ") != 1 || !strings.Contains(said, "4 files are missing; ") {
		t.Errorf("exit code %d\n%s", code, said)
	}
}
