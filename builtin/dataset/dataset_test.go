package dataset

import (
	"hash/maphash"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hansa-fl/hansa/framework/data/datatest"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
	"github.com/hansa-fl/hansa/registry/contract"
)

// build returns the component with the given parameters.
func build(t testing.TB, e fl.SourceEntry, given map[string]any, clients int) fl.Source {
	t.Helper()
	p := fl.NewParams(given, fl.Setting{Clients: clients}, nil)
	s, err := e.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatalf("%s: %v, %v", e.Name, err, problems)
	}
	return s
}

// load returns the data for a number of clients.
func load(t testing.TB, s fl.Source, clients int, seed uint64) (train, test *fl.Dataset) {
	t.Helper()
	rng := fl.NewStream(seed, "data").Rand()
	train, test, err := s.Load(&fl.LoadInput{RNG: rng, Clients: clients})
	if err != nil {
		t.Fatal(err)
	}
	return train, test
}

// loadFrom loads the data of a source from the folder of tests. Rows are written once, where
// they stay, and once more as they are stored: whatever else that takes is little beside many rows.
func loadFrom(t *testing.T, e fl.SourceEntry, given map[string]any) (train, test *fl.Dataset) {
	t.Helper()
	s := build(t, e, given, 1)
	folders := []string{"absent", datatest.Folder(t)}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	train, test, err := s.Load(&fl.LoadInput{Clients: 1, Folders: folders})
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	result := 0
	for _, d := range []*fl.Dataset{train, test} {
		if !d.Shape.Equal(s.Shape()) || d.X.Cols != d.Shape.Features || d.X.Rows != len(d.Y) {
			t.Errorf("shape %+v, %d×%d pixels, %d labels", d.Shape, d.X.Rows, d.X.Cols, len(d.Y))
		}
		if d.Owner != nil || d.Target != nil {
			t.Error("images have neither owners nor targets")
		}
		result += 8*(len(d.X.Data)+len(d.Y)) + len(d.X.Data)
	}
	all := after.TotalAlloc - before.TotalAlloc
	if result > 1e8 && float64(all) > 1.05*float64(result) {
		t.Errorf("%s: %d bytes were allocated for %d", e.Name, all, result)
	}
	return train, test
}

// checkOwned holds regression data to their shape: n rows for each client in turn.
func checkOwned(t *testing.T, s fl.Source, d *fl.Dataset, clients, n int) {
	t.Helper()
	if !d.Shape.Equal(s.Shape()) || !d.Shape.Owned || d.Shape.Classes != 0 || d.Y != nil {
		t.Errorf("shape %+v, declared %+v", d.Shape, s.Shape())
	}
	got := [4]int{d.X.Rows, d.X.Cols, len(d.Target), len(d.Owner)}
	rows := clients * n
	if got != [4]int{rows, d.Shape.Features, rows, rows} {
		t.Fatalf("rows, columns, targets, owners: %v, want %d rows", got, rows)
	}
	for r, i := range d.Owner {
		if i != r/n {
			t.Fatalf("row %d belongs to client %d, want %d", r, i, r/n)
		}
	}
	if !fl.Vector(d.X.Data).Finite() || !d.Target.Finite() {
		t.Error("some numbers are not finite")
	}
}

// leastSquares returns the θ of least Σ wᵣ (⟨θ, xᵣ⟩ − yᵣ)² over all rows of d, and that
// sum. Every row counts the same, 1, when w is nil.
func leastSquares(t *testing.T, d fl.Dataset, w []float64) (theta fl.Vector, sum float64) {
	t.Helper()
	x, y := mat.NewDense(d.X.Rows, d.X.Cols, nil), mat.NewVecDense(d.X.Rows, nil)
	for r := range d.X.Rows {
		root := 1.0
		if w != nil {
			root = math.Sqrt(w[r])
		}
		y.SetVec(r, root*d.Target[r])
		for k, v := range d.X.Row(r) {
			x.Set(r, k, root*v)
		}
	}
	var best, rest mat.VecDense
	if err := best.SolveVec(x, y); err != nil {
		t.Fatal(err)
	}
	rest.MulVec(x, &best)
	rest.SubVec(&rest, y)
	return best.RawVector().Data, mat.Dot(&rest, &rest)
}

// disjoint reports whether no row of a is a row of b.
func disjoint(a, b *fl.Dataset) bool {
	seed, seen := maphash.MakeSeed(), map[uint64]bool{}
	for r := range a.Len() {
		seen[hash(seed, a.X.Row(r))] = true
	}
	for r := range b.Len() {
		if seen[hash(seed, b.X.Row(r))] {
			return false
		}
	}
	return true
}

func hash(seed maphash.Seed, row fl.Vector) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, x := range row {
		maphash.WriteComparable(&h, x)
	}
	return h.Sum64()
}

// within fails the test unless got is want up to a share tol of it.
func within(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
		t.Errorf("%s: %.17g, want %.17g", what, got, want)
	}
}

// refuse loads what cannot be loaded, and returns why.
func refuse(t *testing.T, e fl.SourceEntry, given map[string]any, folders ...string) error {
	t.Helper()
	_, _, err := build(t, e, given, 1).Load(&fl.LoadInput{Clients: 1, Folders: folders})
	if err == nil {
		t.Fatalf("%s %v: it was loaded", e.Name, given)
	}
	return err
}

// problems returns what is wrong with parameters.
func problems(t *testing.T, e fl.SourceEntry, given map[string]any) string {
	t.Helper()
	p := fl.NewParams(given, fl.Setting{Clients: 1}, nil)
	if _, err := e.New(p); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, q := range p.Finish() {
		all = append(all, q.Message)
	}
	return strings.Join(all, "; ")
}

// counts returns how many rows there are of each class.
func counts(d *fl.Dataset) []int {
	n := make([]int, d.Shape.Classes)
	for _, y := range d.Y {
		n[y]++
	}
	return n
}

// put writes a file, and the folders above it.
func put(t *testing.T, content []byte, path ...string) {
	t.Helper()
	at := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, content, 0o666); err != nil {
		t.Fatal(err)
	}
}

// examine holds an entry to the contract, with files from a folder.
func examine(t *testing.T, e fl.SourceEntry, folder string) {
	t.Helper()
	r := new(registry.Registry)
	if err := r.Sources.Add(e); err != nil {
		t.Fatal(err)
	}
	for _, v := range contract.Examine(r, contract.Options{Folders: []string{folder},
		Papers: map[string]bool{e.Paper: true}}) {
		t.Error(v)
	}
}
