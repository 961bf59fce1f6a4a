package data

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// recalling keeps what was decoded.
type recalling map[string][]byte

// Recall implements fl.Decoded.
func (r recalling) Recall(key string, decode func() ([]byte, error)) ([]byte, error) {
	if b, ok := r[key]; ok {
		return b, nil
	}
	b, err := decode()
	if err == nil {
		r[key] = b
	}
	return b, err
}

// A packed IDX file is that which was kept of it, bytes and real numbers, all rows and some.
func TestRecallIDX(t *testing.T) {
	pixels := make([]byte, 3000*400)
	for k := range pixels {
		pixels[k] = byte(k * 7 >> 2)
	}
	floats := slices.Clone(pixels)
	for k := 0; k < len(floats); k += 4 {
		floats[k] = 0x3f
	}
	kept := recalling{}
	for name, raw := range map[string][]byte{"bytes": idx(8, pixels, 3000, 20, 20),
		"floats": idx(13, floats, 3000, 100)} {
		path := file(t, "x.gz", packed(t, raw))
		for _, n := range []int{0, 2900} {
			want, err := ReadPackedIDX(path, n)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				x, err := RecallIDX(kept, path, n)
				if err != nil || x.Floats != want.Floats || !slices.Equal(x.Dims, want.Dims) ||
					x.Rows.Rows != want.Rows.Rows || x.Rows.Cols != want.Rows.Cols ||
					!bytes.Equal(x.Packed.Bytes, want.Packed.Bytes) ||
					!slices.Equal(x.Packed.Floats, want.Packed.Floats) {
					t.Errorf("%s, %d rows: %v", name, n, err)
				}
			}
		}
	}
	if len(kept) != 4 {
		t.Errorf("%d contents are kept, want 4", len(kept))
	}
	path := file(t, "y.gz", packed(t, idx(8, pixels[:7], 2, 4)))
	if _, err := RecallIDX(kept, path, 0); err == nil || !strings.Contains(err.Error(), "truncated") {
		t.Errorf("%v", err)
	}
}
