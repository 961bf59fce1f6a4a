package plugins

import (
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

func BenchmarkLoad(b *testing.B) {
	source, err := Read("testdata/kinds")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Load(b.Context(), source, time.Minute); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	s := load(b, "testdata/kinds")
	var r registry.Registry
	if err := s.Register(&r); err != nil {
		b.Fatal(err)
	}
	e, _ := r.Aggregators.Get("loop-median")
	for b.Loop() {
		if _, err := e.New(fl.NewParams(nil, fl.Setting{}, nil)); err != nil {
			b.Fatal(err)
		}
	}
}
