package builtin

import (
	"bytes"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
)

// resumed returns the result of a cell that is stopped after some rounds and goes on from the bytes
// of its checkpoint, with states of clients on disk.
func resumed(t *testing.T, s *engine.Setup, after int) *engine.Result {
	t.Helper()
	cell, err := engine.Start(s, engine.Options{Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer cell.Close()
	for range after {
		if err := cell.Step(); err != nil {
			t.Fatal(err)
		}
	}
	return goneOn(t, s, cell)
}

// goneOn returns the result of a cell that goes on from the bytes of the checkpoint of another one.
func goneOn(t *testing.T, s *engine.Setup, cell *engine.Cell) *engine.Result {
	t.Helper()
	var b bytes.Buffer
	if err := cell.Checkpoint().Encode(&b); err != nil {
		t.Fatal(err)
	}
	p, err := engine.DecodeCheckpoint(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	rest, err := engine.Resume(s, engine.Options{Workers: 2, ClientMemory: 1}, p)
	if err != nil {
		t.Fatal(err)
	}
	got, err := rest.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return got
}
