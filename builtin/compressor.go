package builtin

import (
	"github.com/hansa-fl/hansa/builtin/compressor"
	"github.com/hansa-fl/hansa/registry"
)

// compressors say in how many bits clients send their updates.
func compressors(r *registry.Registry) error {
	return r.Compressors.Add(
		compressor.None,    // in full
		compressor.TopK,    // the largest numbers
		compressor.RandomK, // some numbers, at random
		compressor.Sign,    // signs and one length
	)
}
