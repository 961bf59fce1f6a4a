package contract

import (
	"runtime"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// coder is a compressor of functions.
type coder struct {
	encode func(k *fl.Coding) error
	decode func(k *fl.Coding) error
	loses  fl.Guarantee
}

func (c coder) Encode(k *fl.Coding) error          { return c.encode(k) }
func (c coder) Decode(k *fl.Coding) error          { return c.decode(k) }
func (c coder) Guarantee(int) (fl.Guarantee, bool) { return c.loses, c.loses.Omega > 0 }

// all writes and reads every number.
func all() coder {
	return coder{
		encode: func(k *fl.Coding) error {
			for _, x := range k.In {
				k.Code.AppendFloat32(x)
			}
			return nil
		},
		decode: func(k *fl.Coding) error {
			for j := range k.Out {
				k.Out[j] = k.Code.ReadFloat32()
			}
			return nil
		},
	}
}

// thin is a good compressor with a state: it sends every other number, in turn.
var thin = fl.CompressorEntry{
	Name: "thin", Summary: "every other number",
	New: func(*fl.Params) (fl.Compressor, error) {
		return coder{
			encode: func(k *fl.Coding) error {
				turn := k.State.Vector("turn", 1)
				first := int(turn[0]) % 2
				turn[0]++
				k.Code.Append(uint64(first), 1)
				for j := first; j < len(k.In); j += 2 {
					k.Code.AppendFloat32(k.In[j])
				}
				return nil
			},
			decode: func(k *fl.Coding) error {
				for j := int(k.Code.Read(1)); j < len(k.Out); j += 2 {
					k.Out[j] = k.Code.ReadFloat32()
				}
				return nil
			},
			loses: fl.Guarantee{Omega: 1},
		}, nil
	},
}

// coarse is a good compressor that draws: each number is sent twice as large, or not at all.
var coarse = fl.CompressorEntry{
	Name: "coarse", Summary: "numbers twice as large, or none",
	New: func(*fl.Params) (fl.Compressor, error) {
		return coder{
			encode: func(k *fl.Coding) error {
				for _, x := range k.In {
					sent := k.RNG.Uint64() & 1
					if k.Code.Append(sent, 1); sent == 1 {
						k.Code.AppendFloat32(2 * x)
					}
				}
				return nil
			},
			decode: func(k *fl.Coding) error {
				for j := range k.Out {
					if k.Code.Read(1) == 1 {
						k.Out[j] = k.Code.ReadFloat32()
					}
				}
				return nil
			},
			loses: fl.Guarantee{Unbiased: true, Omega: 1 + 1e-6},
		}, nil
	},
}

// shortcut is a compressor that counts wrong.
type shortcut struct{ coder }

func (s shortcut) Compress(k *fl.Coding) int {
	for j, x := range k.In {
		k.Out[j] = fl.RoundFloat32(x)
	}
	return 31 * len(k.In)
}

// doubler is a compressor that sets a number twice without a code.
type doubler struct{ coder }

func (d doubler) Sparsify(k *fl.Coding) (at []int, values fl.Vector, bits int) {
	values = k.Scratch(len(k.In) + 1)
	for j, x := range k.In {
		at, values[j] = append(at, j), fl.RoundFloat32(x)
	}
	for j, x := range values {
		if x != 0 {
			at, values[len(k.In)] = append(at, j), x
			break
		}
	}
	return at, values, 32 * len(k.In)
}

// sizer is a compressor that states wrong sizes.
type sizer struct{ coder }

func (sizer) Bits(l fl.Layout) int { return 31 * l.Len() }

// badCode are compressors whose code is none, or not always the same.
func badCode() []citizen[fl.Compressor] {
	calls := 0
	return []citizen[fl.Compressor]{
		badCoder("form", "bits are not read", func(c *coder) {
			c.decode = func(k *fl.Coding) error { return nil }
		}),
		badCoder("form", "more bits are read", func(c *coder) {
			c.encode = func(k *fl.Coding) error { return nil }
		}),
		badCoder(readOnly, "In changed", func(c *coder) {
			c.encode = func(k *fl.Coding) error {
				for j := range k.In {
					k.In[j]++
					k.Code.AppendFloat32(k.In[j])
				}
				return nil
			}
		}),
		badCoder("repeatable", "two instances differ", func(c *coder) {
			c.encode = func(k *fl.Coding) error {
				calls++
				for range k.In {
					k.Code.AppendFloat32(float64(calls))
				}
				return nil
			}
		}),
		made("state", "takes over", func() fl.Compressor {
			c, rounds := all(), 0.0
			c.encode = func(k *fl.Coding) error {
				rounds++
				for range k.In {
					k.Code.AppendFloat32(rounds)
				}
				return nil
			}
			return c
		}),
	}
}

// badCoder is a good compressor with a change.
func badCoder(breaks, found string, change func(c *coder)) citizen[fl.Compressor] {
	c := all()
	change(&c)
	return made(breaks, found, func() fl.Compressor { return c })
}

func TestBadCompressors(t *testing.T) {
	catches(t, compressors(), compressors().checks, append(badCode(), []citizen[fl.Compressor]{
		made("direct", "31 bits are counted", func() fl.Compressor { return shortcut{all()} }),
		made("direct", "is set twice", func() fl.Compressor { return doubler{all()} }),
		made("sized", "Bits returns 31", func() fl.Compressor { return sizer{all()} }),
		badCoder("guarantee", "Omega is", func(c *coder) { c.loses.Omega = 1e-20 }),
		badCoder("guarantee", "‖E Out − In‖²", func(c *coder) {
			c.loses = fl.Guarantee{Unbiased: true, Omega: 1}
			c.encode = func(k *fl.Coding) error {
				for _, x := range k.In {
					k.Code.AppendFloat32(0.9*x + 0.1*x*k.RNG.NormFloat64())
				}
				return nil
			}
		}),
		made("at-once", "beside another", func() fl.Compressor {
			c, shared := all(), new(crowding)
			c.encode = func(k *fl.Coding) error {
				more := 0.0
				if shared.enter(runtime.Gosched) {
					more = 1
				}
				for _, x := range k.In {
					k.Code.AppendFloat32(x + more)
				}
				return nil
			}
			return c
		}),
	}...))
}
