package engine_test

import (
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// A plank is a shelf in memory.
type plank struct {
	mu    sync.Mutex
	items map[string][]byte
}

func (p *plank) Take(key string) ([]byte, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	content, ok := p.items[key]
	return content, ok
}

func (p *plank) Put(key string, content []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.items[key] = content
}

// A maker is a preprocessor whose server makes one thing for a key, and counts how often.
type maker struct {
	mover
	key  string
	made *int
	fail error
}

func (m maker) Combine(c *fl.Combining) (fl.Tensors, error) {
	return c.Once(m.key, func() (fl.Tensors, error) {
		*m.made++
		return fl.Tensors{"odd": {Rows: 1, Cols: 4, Data: fl.Vector{math.Pi, math.Copysign(0, -1), 5e-324, math.NaN()}},
			"none": {Cols: 3}}, m.fail
	})
}

// What is made once is made once for all cells and seeds that share a pantry, and for those of a
// later run that has the shelf; it is the same to the bit, and counted for every cell.
func TestMadeOnce(t *testing.T) {
	shelf := &plank{items: map[string][]byte{}}
	made := 0
	var first fl.Tensors
	for run, want := range []int{1, 1, 2} {
		if run == 2 {
			for key := range shelf.items {
				shelf.items[key] = shelf.items[key][:9]
			}
		}
		o := engine.Options{Pantry: engine.NewPantry(9), Shelf: shelf}
		for seed := range 3 {
			w := &witness{summaries: map[int]*fl.Summary{}}
			s := hall(true, maker{key: "key", made: &made}, w)
			s.DataSeed, s.DataKey, s.DealtKey = uint64(seed), string(rune('a'+seed)), string(rune('a'+seed))
			world, err := engine.Prepare(s, o)
			if err != nil {
				t.Fatal(err)
			}
			if got := world.Downloaded; got != int64(world.Roster.N)*(4+5) {
				t.Errorf("run %d, seed %d: %d floats were sent to clients", run, seed, got)
			}
			got, err := w.combining.Once("key", nil)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = got
			}
			if !sameBits(got["odd"].Data, first["odd"].Data) || got["none"].Cols != 3 {
				t.Errorf("run %d, seed %d: %v, before %v", run, seed, got, first)
			}
		}
		if made != want {
			t.Errorf("run %d: made %d times, want %d", run, made, want)
		}
	}
}

func sameBits(a, b fl.Vector) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return math.Float64bits(x) == math.Float64bits(y)
	})
}

// Another key stands for something else; without pantry and shelf everyone makes it; what failed
// is not kept.
func TestMadeAnew(t *testing.T) {
	made := 0
	shelf := &plank{items: map[string][]byte{}}
	for k, key := range []string{"a", "b", "a"} {
		if _, err := engine.Prepare(hall(true, maker{key: key, made: &made}), engine.Options{}); err != nil {
			t.Fatal(err)
		}
		if made != k+1 {
			t.Errorf("made %d times by %d cells that share nothing", made, k+1)
		}
	}
	bad := maker{key: "bad", made: &made, fail: errors.New("no")}
	if _, err := engine.Prepare(hall(true, bad), engine.Options{Shelf: shelf}); err == nil {
		t.Error("a failure is hidden")
	}
	if _, err := (&fl.Combining{}).Once("a", func() (fl.Tensors, error) { made = 0; return nil, nil }); err != nil ||
		made != 0 || len(shelf.items) > 0 {
		t.Errorf("%v, made %d, %d kept", err, made, len(shelf.items))
	}
}
