package builtin

import (
	"github.com/hansa-fl/hansa/builtin/compressor"
	"github.com/hansa-fl/hansa/registry"
)

// compressors say in how many bits clients send their updates.
func compressors(r *registry.Registry) error {
	return r.Compressors.Add(
		compressor.None,     // in full
		compressor.TopK,     // the largest numbers
		compressor.RandomK,  // some numbers, at random
		compressor.Sign,     // signs and one length
		compressor.QSGD,     // levels of a length, at random
		compressor.TernGrad, // -1, 0 or 1, at random
		compressor.Int8,     // whole numbers of a unit
		compressor.Float16,  // half precision
		compressor.BFloat16, // half of float32
		compressor.PowerSGD, // thin matrices
	)
}
