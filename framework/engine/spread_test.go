package engine_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// spreading moves rows by spreading them, with something done at each.
func spreading(at func(client, row int) error) mover {
	return mover{transform: func(m *fl.TransformInput) (fl.Matrix, error) {
		y := fl.NewMatrix(m.Rows.Rows, m.Rows.Cols)
		return y, m.Spread.Each(y.Rows, func(k int) error {
			copy(y.Row(k), m.Rows.Row(k))
			return at(m.Client, k)
		})
	}}
}

// Every row is moved once, by no more workers at once than there are, and a listener is told
// of all rows in the end.
func TestSpread(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		var now, most, calls atomic.Int64
		s := hall(true, spreading(func(int, int) error {
			calls.Add(1)
			for n := now.Add(1); ; {
				if m := most.Load(); n <= m || most.CompareAndSwap(m, n) {
					break
				}
			}
			time.Sleep(100 * time.Microsecond)
			now.Add(-1)
			return nil
		}))
		last, all := 0, 0
		w, err := engine.Prepare(s, engine.Options{Workers: 1, Movers: workers,
			Preparing: func(name string, rows, of int) {
				if rows <= last || name != "p0" {
					t.Errorf("%s: %d rows after %d", name, rows, last)
				}
				last, all = rows, of
			}})
		if err != nil {
			t.Fatal(err)
		}
		rows := w.Population.Train.Len() + w.Population.Test.Len()
		if int(calls.Load()) != rows {
			t.Errorf("%d workers: %d calls for %d rows", workers, calls.Load(), rows)
		}
		if n := int(most.Load()); n > workers || workers > 1 && n == 1 {
			t.Errorf("%d of %d workers at once", n, workers)
		}
		if want := rows + w.Population.Train.Len(); last != want || all != want {
			t.Errorf("%d workers: told of %d rows of %d, want %d", workers, last, all, want)
		}
	}
}

// A worker that has nothing left to do joins one that has: rows without a client are one piece.
func TestIdleJoin(t *testing.T) {
	var met atomic.Bool
	meeting := make(chan int)
	s := hall(false, spreading(func(client, row int) error {
		if client >= 0 || met.Load() {
			return nil
		}
		select { // the other one may be about to come
		case meeting <- row:
			met.Store(true)
		case <-meeting:
		case <-time.After(time.Second):
		}
		return nil
	}))
	if _, err := engine.Prepare(s, engine.Options{Workers: 2}); err != nil || !met.Load() {
		t.Errorf("%v; no two workers were at work at once", err)
	}
}

// The first row that fails is what is told, and a panic is an error like others.
func TestSpreadFails(t *testing.T) {
	for _, workers := range []int{1, 3} {
		s := hall(true, spreading(func(client, row int) error {
			switch {
			case client < 2:
				return nil
			case row == 1:
				panic("a mistake")
			}
			return fmt.Errorf("row %d is odd", row)
		}))
		_, err := engine.Prepare(s, engine.Options{Workers: workers})
		if err == nil || !strings.Contains(err.Error(), "client 2: row 0 is odd") {
			t.Errorf("%d workers: %v", workers, err)
		}
		s.Preprocess = stages(spreading(func(_, row int) error {
			if row == 1 {
				panic("a mistake")
			}
			return nil
		}))
		_, err = engine.Prepare(s, engine.Options{Workers: workers})
		if err == nil || !strings.Contains(err.Error(), "client 0: panic: a mistake") {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
}
