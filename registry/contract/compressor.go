package contract

import (
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

func compressors() exam[fl.Compressor] {
	type s = *subject[fl.Compressor]
	return exam[fl.Compressor]{
		of: registry.Compressors(),
		checks: []check[s]{
			{"form", "whatever is sent, of one number or many, a fresh instance decodes from the " +
				"code alone, all of which it reads, and what arrives is finite", "", formOfCode},
			{readOnly, "neither Encode nor Decode modifies what it can reach but Code, Out and " +
				"State, and Decode not Code", "form", readsCoded},
			{"repeatable", "two fresh instances write the same bits", "form", repeatsCode},
			{"state", "nothing lasts outside State: a fresh instance that takes over after any " +
				"update writes the same bits", "repeatable", coderLastsInState},
			{"direct", "Compress, where there is one, makes what Encode and Decode make, and " +
				"returns how many bits they take", "state", compressesDirectly},
			{"sized", "Bits, where there is one, is how many bits every code takes", "form",
				knowsSize},
			{"guarantee", "what is lost is within the guarantee, over draws, and where it says " +
				"so nothing is lost on average but what rounding to float32 loses", "state",
				keepsGuarantee},
			{"at-once", "clients that encode at once have the bits that each has alone", "state",
				encodesAtOnce},
		},
	}
}

// codedLayouts are layouts of what is sent.
func codedLayouts() []fl.Layout {
	of := func(sizes ...[2]int) (l fl.Layout) {
		for k, size := range sizes {
			name := fl.Weight
			if size[1] == 1 {
				name = fl.Bias
			}
			l.Blocks = append(l.Blocks, fl.Block{Name: name, Layer: k / 2, Rows: size[0],
				Cols: size[1], Offset: l.Len()})
		}
		return l
	}
	return []fl.Layout{of([2]int{1, 1}), of([2]int{7, 9}, [2]int{7, 1}), of([2]int{3, 4},
		[2]int{3, 1}, [2]int{5, 3}, [2]int{5, 1})}
}

// codedInputs are updates of n numbers: of some length, of one number only, all alike, of numbers
// that fall fast, and zero.
func codedInputs(s *subject[fl.Compressor], n int) []fl.Vector {
	spike, same, falls := make(fl.Vector, n), make(fl.Vector, n), make(fl.Vector, n)
	spike[n/2] = -3
	same.Fill(0.25)
	for k := range falls {
		falls[k] = math.Pow(-0.7, float64(k))
	}
	rng := s.stream("updates").At(n, 0).Rand()
	return []fl.Vector{normals(rng, n, 1), spike, same, falls, normals(rng, n, 1e-6),
		make(fl.Vector, n)}
}

// coding returns the coding of the t-th update of a client.
func coding(
	s *subject[fl.Compressor], l fl.Layout, in fl.Vector, t int, state fl.State,
) *fl.Coding {
	return &fl.Coding{T: t, Client: 2, In: in.Clone(), Out: make(fl.Vector, len(in)),
		Code: new(fl.Bits), Layout: l, State: state, RNG: s.stream("client").At(t, 2).Rand(),
		Shared: s.stream("both").At(t, 2).Rand()}
}

// arrival returns the coding of what arrives of one that was encoded.
func arrival(s *subject[fl.Compressor], k *fl.Coding) *fl.Coding {
	code := new(fl.Bits)
	code.SetBytes(k.Code.Bytes(), k.Code.Len())
	return &fl.Coding{T: k.T, Client: k.Client, Out: make(fl.Vector, len(k.In)), Code: code,
		Layout: k.Layout, Shared: s.stream("both").At(k.T, k.Client).Rand()}
}

// coded returns what arrives of an update, and how many bits it takes.
func coded(
	s *subject[fl.Compressor], c fl.Compressor, l fl.Layout, in fl.Vector, t int,
) (fl.Vector, int, error) {
	k := coding(s, l, in, t, fl.NewStore())
	if err := c.Encode(k); err != nil {
		return nil, 0, err
	}
	d := arrival(s, k)
	err := c.Decode(d)
	return d.Out, k.Code.Len(), err
}

// eachInput calls a function with every layout and input, until it says what is wrong.
func eachInput(
	s *subject[fl.Compressor], f func(l fl.Layout, in fl.Vector, t int) string,
) string {
	for _, l := range codedLayouts() {
		for t, in := range codedInputs(s, l.Len()) {
			if broken := f(l, in, t); broken != "" {
				return at(fmt.Sprintf("input %d of %d numbers", t, l.Len()), broken)
			}
		}
	}
	return ""
}

func formOfCode(s *subject[fl.Compressor]) string {
	c := s.build()
	return eachInput(s, func(l fl.Layout, in fl.Vector, t int) string {
		k := coding(s, l, in, t, fl.NewStore())
		if err := c.Encode(k); err != nil {
			return "error: " + err.Error()
		}
		d := arrival(s, k)
		if err := s.build().Decode(d); err != nil {
			return "error: " + err.Error()
		}
		switch n := d.Code.Unread(); {
		case d.Code.Err() != nil:
			return d.Code.Err().Error()
		case n > 0:
			return fmt.Sprintf("%d of %d bits are not read", n, d.Code.Len())
		case len(d.Out) != len(in) || !d.Out.Finite():
			return fmt.Sprintf("%d numbers for %d, finite: %t", len(d.Out), len(in), d.Out.Finite())
		}
		return ""
	})
}

func readsCoded(s *subject[fl.Compressor]) string {
	c := s.build()
	return eachInput(s, func(l fl.Layout, in fl.Vector, t int) string {
		k := coding(s, l, in, t, fl.NewStore())
		if err := c.Encode(k); err != nil {
			return "error: " + err.Error()
		}
		d := arrival(s, k)
		was := slices.Clone(d.Code.Bytes())
		if err := c.Decode(d); err != nil {
			return "error: " + err.Error()
		}
		switch {
		case !slices.Equal(in, k.In):
			return "In changed"
		case !slices.Equal(was, d.Code.Bytes()):
			return "Decode changed Code"
		}
		return ""
	})
}

// codeOf returns a digest of the code of an update.
func codeOf(c fl.Compressor, k *fl.Coding) string {
	if err := c.Encode(k); err != nil {
		return "error: " + err.Error()
	}
	return fmt.Sprintf("%d bits: %x", k.Code.Len(), k.Code.Bytes())
}

func repeatsCode(s *subject[fl.Compressor]) string {
	a, b := s.build(), s.build()
	return eachInput(s, func(l fl.Layout, in fl.Vector, t int) string {
		first, second := coding(s, l, in, t, fl.NewStore()), coding(s, l, in, t, fl.NewStore())
		if codeOf(a, first) != codeOf(b, second) {
			return "two instances differ"
		}
		return ""
	})
}

func coderLastsInState(s *subject[fl.Compressor]) string {
	for _, l := range codedLayouts() {
		lasting, x, y := s.build(), fl.NewStore(), fl.NewStore()
		for t, in := range codedInputs(s, l.Len()) {
			y = y.Clone()
			k, fresh := coding(s, l, in, t, x), coding(s, l, in, t, y)
			if codeOf(lasting, k) != codeOf(s.build(), fresh) {
				return fmt.Sprintf("an instance that takes over after %d updates writes other bits",
					t)
			}
		}
		if d := unlikeStates(x, y); d != "" {
			return d
		}
	}
	return ""
}

// withoutCode returns what a compressor does without a code, nil where it has no such way: it sets
// Out, and returns how many bits a code would have.
func withoutCode(c fl.Compressor) func(k *fl.Coding) (bits int) {
	switch c := c.(type) {
	case fl.Direct:
		return func(k *fl.Coding) int {
			k.Out.Fill(3) // whatever was there
			return c.Compress(k)
		}
	case fl.Sparse:
		return func(k *fl.Coding) int {
			at, values, bits := c.Sparsify(k)
			for i, j := range at {
				if k.Out[j] != 0 {
					return -1 // each is set once
				}
				k.Out[j] = values[i]
			}
			return bits
		}
	}
	return nil
}

func compressesDirectly(s *subject[fl.Compressor]) string {
	c := s.build()
	compress := withoutCode(c)
	if compress == nil {
		return ""
	}
	x, y := fl.NewStore(), fl.NewStore()
	return eachInput(s, func(l fl.Layout, in fl.Vector, t int) string {
		k, short := coding(s, l, in, t, x), coding(s, l, in, t, y)
		if err := c.Encode(k); err != nil {
			return "error: " + err.Error()
		}
		d := arrival(s, k)
		if err := c.Decode(d); err != nil {
			return "error: " + err.Error()
		}
		bits := compress(short)
		if bits < 0 {
			return "a number is set twice"
		}
		if bits != k.Code.Len() {
			return fmt.Sprintf("without a code %d bits are counted, the code has %d", bits,
				k.Code.Len())
		}
		if j := unlikeBits(d.Out, short.Out); j >= 0 {
			return fmt.Sprintf("number %d is %v, and %v without a code", j, d.Out[j], short.Out[j])
		}
		return unlikeStates(x, y)
	})
}

func knowsSize(s *subject[fl.Compressor]) string {
	c := s.build()
	sized, ok := c.(fl.Sized)
	if !ok {
		return ""
	}
	return eachInput(s, func(l fl.Layout, in fl.Vector, t int) string {
		k := coding(s, l, in, t, fl.NewStore())
		if err := c.Encode(k); err != nil {
			return "error: " + err.Error()
		}
		if bits := sized.Bits(l); bits != k.Code.Len() {
			return fmt.Sprintf("Bits returns %d, the code has %d", bits, k.Code.Len())
		}
		return ""
	})
}

// unlikeBits returns where two vectors differ in a bit, -1 where they do not.
func unlikeBits(a, b fl.Vector) int {
	for j, x := range a {
		if math.Float64bits(x) != math.Float64bits(b[j]) {
			return j
		}
	}
	return -1
}

// Of so many draws a guarantee is tested; what is lost on average is so many times as long,
// squared, as chance makes it at most.
const (
	codedDraws  = 2000
	codedChance = 14
)

func keepsGuarantee(s *subject[fl.Compressor]) string {
	c := s.build()
	return eachInput(s, func(l fl.Layout, in fl.Vector, _ int) string {
		g, known := c.Guarantee(len(in))
		if !known {
			return ""
		}
		bias, sum, squares := make(fl.Vector, len(in)), 0.0, 0.0
		for t := range codedDraws {
			lost, _, err := coded(s, c, l, in, t)
			if err != nil {
				return "error: " + err.Error()
			}
			lost.Sub(in)
			bias.AddScaled(1.0/codedDraws, lost)
			d := lost.Dot(lost)
			sum, squares = sum+d, squares+d*d
		}
		mean, norm := sum/codedDraws, in.Dot(in)
		deviation := math.Sqrt(max(0, squares/codedDraws-mean*mean) / codedDraws)
		if bound := g.Omega*norm*(1+1e-9) + 5*deviation; !(mean <= bound) {
			return fmt.Sprintf("E‖Out − In‖² is %.4g·‖In‖², and Omega is %.4g", mean/norm, g.Omega)
		}
		if b := bias.Dot(bias); g.Unbiased && !(b <= codedChance*mean/codedDraws+0x1p-44*norm) {
			return fmt.Sprintf("‖E Out − In‖² is %.4g of E‖Out − In‖², over %d draws", b/mean,
				codedDraws)
		}
		return ""
	})
}

func encodesAtOnce(s *subject[fl.Compressor]) string {
	c, l := s.build(), codedLayouts()[1]
	loop := func(client int) func() string {
		in := codedInputs(s, l.Len())[client]
		alone := codeOf(s.build(), coding(s, l, in, client, fl.NewStore()))
		return func() string {
			for range s.options.repeated(200) {
				if codeOf(c, coding(s, l, in, client, fl.NewStore())) != alone {
					return fmt.Sprintf("client %d beside another writes other bits", client)
				}
			}
			return ""
		}
	}
	return together(loop(0), loop(3))
}
