// None — updates are sent as they are, four bytes for each number.

package compressor

import "github.com/hansa-fl/hansa/framework/fl"

// None describes the compressor to the registry.
var None = fl.CompressorEntry{
	Name:    "none",
	Summary: "updates are sent in full, 4 bytes for each number",
	New:     of(func(*fl.Params) fl.NoCompressor { return fl.NoCompressor{} }),
}
