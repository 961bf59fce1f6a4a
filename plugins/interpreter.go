package plugins

import (
	"context"
	"reflect"

	"github.com/hansa-fl/hansa/plugins/vet"
)

// An interpreter runs vetted packages. This is all that loading, guards and clocks know of any
// interpreter, so that another one can take the place of yaegi.
type interpreter interface {
	// evaluate runs the declarations of a package until ctx is done.
	evaluate(ctx context.Context, pkg *vet.Package) (evaluation, error)
}

// An evaluation is a package whose declarations were run.
type evaluation interface {
	// value returns an exported variable of the package.
	value(name string) reflect.Value
	// stoppable reports whether stopAt can do that.
	stoppable() bool
	// stopAt stops for good all that runs in the package once ctx is done, however it loops.
	stopAt(ctx context.Context) error
	// listen forgets what was said of panics before, as a method is called.
	listen(method string)
	// blame returns the innermost position of the latest panic since listen, where it is known.
	blame() (position int, ok bool)
	// raised is called while a panic unwinds the stack.
	raised()
	// peek returns the position that runs, as far as that is known. It may be called by any
	// goroutine, at any time.
	peek() int
	// words returns what a panic says, in the words of Go.
	words(panicked any) string
}
