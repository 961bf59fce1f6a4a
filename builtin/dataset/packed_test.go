package dataset

import (
	"bytes"
	"image/color"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/data/datatest"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/store"
)

// Rows that are packed are those of X to the bit, by every scale, and so are classes and domains.
// Those that are no bytes or numbers of single precision are never packed.
func TestPackedRowsAreThoseThatAreLoaded(t *testing.T) {
	folder := datatest.Folder(t)
	some := func(more map[string]any) map[string]any {
		return with(map[string]any{"train": int64(300), "test": int64(70)}, more)
	}
	usps := map[string]any{"train_images": "usps/*train-images*", "train_labels": "usps/*train-labels*",
		"dims": []any{int64(16), int64(16)}, "held_out": 0.2}
	for _, c := range []struct {
		entry  *fl.SourceEntry
		given  map[string]any
		stored int // bytes a number; 0: they are not packed
	}{
		{&MNIST, some(nil), 1},
		{&MNIST, some(map[string]any{"size": int64(32), "channels": int64(3)}), 1},
		{&MNIST, some(map[string]any{"scale": "standard"}), 0},
		{&USPS, some(nil), 1},
		{&USPS, some(map[string]any{"size": int64(28)}), 1},
		{&CIFAR10, some(map[string]any{"batches": int64(1)}), 1},
		{&CIFAR10, some(map[string]any{"batches": int64(1), "scale": "standard"}), 0},
		{&CIFARFiles, map[string]any{"train_files": "digits-domains/mnistm_train.bin.gz", "train": int64(200),
			"held_out": 0.3, "scale": "max"}, 1},
		{&IDX, with(usps, map[string]any{"train": int64(400)}), 1},
		{&IDX, with(usps, map[string]any{"train": int64(400), "scale": "max"}), 1},
		{&IDX, with(usps, map[string]any{"train": int64(400), "scale": "standard"}), 0},
		{&DigitsDomains, some(map[string]any{"features": "images"}), 1},
		{&DigitsDomains, some(map[string]any{"features": "images", "scale": "raw"}), 1},
		{&DigitsDomains, some(map[string]any{"scale": "raw"}), 4},
		{&DigitsDomains, some(nil), 0},
		{&OfficeCaltech10, map[string]any{"features": "thumbs32"}, 1},
		{&OfficeCaltech10, map[string]any{"features": "surf800"}, 0},
		{&Glyphs, some(nil), 0},
		{&Shakespeare, map[string]any{"context": int64(40), "owners": int64(3)}, 4},
		{&Shakespeare, map[string]any{"predict": "last", "step": int64(7), "owners": int64(2)}, 4},
		{&Text, map[string]any{"files": []any{"tinyshakespeare/input.txt.gz"}, "test": 0.1,
			"vocabulary": int64(65), "context": int64(300), "step": int64(100)}, 4},
	} {
		load := func(packed bool) []*fl.Dataset {
			s := build(t, *c.entry, c.given, 1)
			train, test, err := s.Load(&fl.LoadInput{Clients: 1, Folders: []string{folder},
				RNG: fl.NewStream(3, "data").Rand(), Packed: packed})
			if err != nil {
				t.Fatalf("%s %v: %v", c.entry.Name, c.given, err)
			}
			return partsOf(train, test)
		}
		want, got := load(false), load(true)
		if len(got) != 2 || len(want) != 2 {
			t.Fatalf("%s: %d parts", c.entry.Name, len(got))
		}
		for i, d := range got {
			p := &d.Packed
			size := map[bool]int{true: 1}[p.Bytes != nil] +
				map[bool]int{true: 4}[p.Floats != nil || p.Ints != nil]
			if size != c.stored || size > 0 && d.X.Data != nil || d.Len() != want[i].Len() {
				t.Fatalf("%s %v: %d bytes a number, want %d; %d rows", c.entry.Name, c.given, size, c.stored,
					d.Len())
			}
			if want[i].Packed.Any() || !d.Shape.Equal(want[i].Shape) {
				t.Errorf("%s %v: shape %+v", c.entry.Name, c.given, d.Shape)
			}
			if size > 0 && d.Shape.Stored != size && d.Shape.Stored != 0 {
				t.Errorf("%s %v: %d bytes are declared", c.entry.Name, c.given, d.Shape.Stored)
			}
			d.Unpack()
			for k, v := range d.X.Data {
				if math.Float64bits(v) != math.Float64bits(want[i].X.Data[k]) {
					t.Fatalf("%s %v: number %d is %v, want %v", c.entry.Name, c.given, k, v,
						want[i].X.Data[k])
				}
			}
			for r := range d.Y {
				if d.Y[r] != want[i].Y[r] || d.Domain != nil && d.Domain[r] != want[i].Domain[r] {
					t.Fatalf("%s %v: row %d has another class or domain", c.entry.Name, c.given, r)
				}
			}
		}
	}
}

// What is kept of files gives the rows of the files, and those of other files once they have others.
func TestKeptRowsAreThoseOfFiles(t *testing.T) {
	folder, own, dir := datatest.Folder(t), t.TempDir(), t.TempDir()
	for k := range 3 {
		for _, class := range []string{"cat", "dog"} {
			put(t, plain(t, color.Gray{uint8(40*k + len(class))}, 5, 5, false), own, "a/"+class+"/"+
				string(rune('0'+k))+".png")
		}
	}
	some := map[string]any{"train": int64(2000), "test": int64(100)}
	for _, c := range []struct {
		entry *fl.SourceEntry
		given map[string]any
		files int // that are kept
	}{
		{&MNIST, some, 1},
		{&CIFAR10, with(some, map[string]any{"batches": int64(1)}), 1},
		{&DigitsDomains, map[string]any{"features": "images", "train": int64(500), "test": int64(5)}, 4},
		{&Images, map[string]any{"train_folder": "a", "classes": int64(2), "size": int64(300)}, 1},
	} {
		kept := filepath.Join(dir, c.entry.Name)
		load := func(cached bool) []*fl.Dataset {
			l := &fl.LoadInput{Clients: 1, Folders: []string{folder, own}, Packed: true,
				RNG: fl.NewStream(3, "data").Rand()}
			if cached {
				l.Decoded = &store.DecodedCache{DiskCache: store.DiskCache{Dir: kept,
					Program: func() (string, bool) { return "p", true }}}
			}
			train, test, err := build(t, *c.entry, c.given, 1).Load(l)
			if err != nil {
				t.Fatalf("%s: %v", c.entry.Name, err)
			}
			return partsOf(train, test)
		}
		want := load(false)
		for range 2 {
			for i, d := range load(true) {
				if !bytes.Equal(d.Packed.Bytes, want[i].Packed.Bytes) || !slices.Equal(d.Y, want[i].Y) ||
					*d.Packed.Levels != *want[i].Packed.Levels || !slices.Equal(d.Packed.Index,
					want[i].Packed.Index) {
					t.Errorf("%s: part %d has other rows", c.entry.Name, i)
				}
			}
		}
		if files, err := filepath.Glob(kept + "/*"); err != nil || len(files) != c.files {
			t.Errorf("%s: %d files are kept, want %d", c.entry.Name, len(files), c.files)
		}
		if c.entry != &Images {
			continue
		}
		put(t, plain(t, color.Gray{201}, 5, 5, false), own, "a/cat/1.png")
		if was, now := load(true)[0], load(false)[0]; !bytes.Equal(was.Packed.Bytes, now.Packed.Bytes) ||
			bytes.Equal(now.Packed.Bytes, want[0].Packed.Bytes) {
			t.Error("another picture has the rows of the one before")
		}
	}
}

// MNIST takes at most 60 MB once its rows are those of clients in any order, CIFAR-10 at most 190 MB
// for 60,000 rows, and a window of 80 characters that overlaps others 4 bytes a character.
func TestPackedRowsTakeLittleMemory(t *testing.T) {
	folder := datatest.Folder(t)
	for _, c := range []struct {
		entry  *fl.SourceEntry
		given  map[string]any
		rows   int
		perRow float64 // bytes
	}{
		{&MNIST, nil, 70_000, 60e6 / 70_000},
		{&CIFAR10, map[string]any{"batches": int64(1), "test": int64(5000)}, 15_000, 190e6 / 60_000},
		{&Shakespeare, map[string]any{"step": int64(1), "predict": "last", "test": 0.1,
			"owners": int64(1)}, 37_456, 4*80 + 40},
	} {
		heap := func() float64 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			return float64(m.HeapAlloc)
		}
		before := heap()
		train, test, err := build(t, *c.entry, c.given, 1).Load(&fl.LoadInput{Clients: 1,
			Folders: []string{folder}, Packed: true})
		if err != nil {
			t.Fatal(err)
		}
		order := make([]int, train.Len())
		for k := range order {
			order[k] = len(order) - 1 - k
		}
		train, order = train.Pick(order), nil
		per := (heap() - before) / float64(c.rows)
		if n := train.Len() + test.Len(); n != c.rows || per > c.perRow {
			t.Errorf("%s: %d rows of %.0f bytes, want at most %.0f", c.entry.Name, n, per, c.perRow)
		}
		t.Logf("%s: %.0f bytes a row", c.entry.Name, per)
		runtime.KeepAlive(train)
		runtime.KeepAlive(test)
	}
}
