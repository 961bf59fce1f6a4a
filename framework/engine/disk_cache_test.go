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

// A diskInMemory is a cache on disk, in memory.
type diskInMemory struct {
	mu    sync.Mutex
	items map[string][]byte
}

func (p *diskInMemory) Take(key string) ([]byte, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	content, ok := p.items[key]
	return content, ok
}

func (p *diskInMemory) Put(key string, content []byte) {
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

func (m maker) Combine(c *fl.CombineInput) (fl.Tensors, error) {
	return c.Once(m.key, func() (fl.Tensors, error) {
		*m.made++
		return fl.Tensors{"odd": {Rows: 1, Cols: 4, Data: fl.Vector{math.Pi, math.Copysign(0, -1), 5e-324, math.NaN()}},
			"none": {Cols: 3}}, m.fail
	})
}

// What is made once is made once for all cells and seeds that share a memo, and for those of a
// later run that has the disk; it is the same to the bit, and counted for every cell.
func TestMadeOnce(t *testing.T) {
	disk := &diskInMemory{items: map[string][]byte{}}
	made := 0
	var first fl.Tensors
	for run, want := range []int{1, 1, 2} {
		if run == 2 {
			for key := range disk.items {
				disk.items[key] = disk.items[key][:9]
			}
		}
		o := engine.Options{Memo: engine.NewMemo(9), DiskCache: disk}
		for seed := range 3 {
			w := &witness{summaries: map[int]*fl.SummaryInput{}}
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

// Another key stands for something else; without memo and disk each makes it; what failed
// is not kept.
func TestMadeAnew(t *testing.T) {
	made := 0
	disk := &diskInMemory{items: map[string][]byte{}}
	for k, key := range []string{"a", "b", "a"} {
		if _, err := engine.Prepare(hall(true, maker{key: key, made: &made}), engine.Options{}); err != nil {
			t.Fatal(err)
		}
		if made != k+1 {
			t.Errorf("made %d times by %d cells that share nothing", made, k+1)
		}
	}
	bad := maker{key: "bad", made: &made, fail: errors.New("no")}
	if _, err := engine.Prepare(hall(true, bad), engine.Options{DiskCache: disk}); err == nil {
		t.Error("a failure is hidden")
	}
	if _, err := (&fl.CombineInput{}).Once("a", func() (fl.Tensors, error) { made = 0; return nil, nil }); err != nil ||
		made != 0 || len(disk.items) > 0 {
		t.Errorf("%v, made %d, %d kept", err, made, len(disk.items))
	}
}
