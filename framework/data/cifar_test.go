package data

import (
	"slices"
	"strings"
	"testing"
)

// records returns so many records; pixel k of record i is byte i + k.
func records(n, labels int) []byte {
	var b []byte
	for i := range n {
		for k := range labels {
			b = append(b, byte(2*i+k))
		}
		for k := range cifarPixels {
			b = append(b, byte(i+k))
		}
	}
	return b
}

// TestReadCIFAR: pixels of the first records come in the order of the file, which is that
// of fl.Image, and the last label is the class.
func TestReadCIFAR(t *testing.T) {
	for labels := 1; labels <= 2; labels++ {
		c := CIFAR{Labels: labels, Classes: 10}
		raw := records(3, labels)
		for form, b := range map[string][]byte{"plain": raw, "gzip": packed(t, raw)} {
			path := file(t, "x", b)
			if n, err := c.Count(path); n != 3 || err != nil {
				t.Errorf("%s: %d records, %v", form, n, err)
			}
			x, y := make([]uint8, 2*cifarPixels), make([]int, 2)
			err := c.ReadFile(path, x, y)
			if err != nil || !slices.Equal(y, []int{labels - 1, labels + 1}) {
				t.Errorf("%s: classes %v, %v", form, y, err)
			}
			for i := range y {
				for k, v := range x[i*cifarPixels : (i+1)*cifarPixels] {
					if v != byte(i+k) {
						t.Fatalf("%s: pixel %d of record %d is %v", form, k, i, v)
					}
				}
			}
		}
	}
	image := CIFARImage()
	if image.C*image.H*image.W != cifarPixels {
		t.Errorf("%+v", image)
	}
}

func TestReadCIFARRefuses(t *testing.T) {
	c := CIFAR{Labels: 1, Classes: 3}
	raw := records(2, 1)
	zipped := packed(t, raw)
	for _, q := range []struct {
		name, counted, read string
		raw                 []byte
	}{
		{"cut off", "truncated or in another format: 1 records of 3073 bytes end at offset 3073, " +
			"the file at 6145", "truncated: record 1 has 3072 of 3073 bytes, at offset 3073", raw[:6145]},
		{"too short", "", "truncated: record 1 has 0 of 3073 bytes, at offset 3073", raw[:3073]},
		{"empty", "", "truncated: record 0 has 0 of 3073 bytes, at offset 0", nil},
		{"a class too many", "", "class 3 of record 1, at offset 3073, is outside [0, 3)",
			slices.Concat(raw[:3073], []byte{3}, raw[3074:])},
		{"packed and cut off", "damaged after ", "damaged in record ", zipped[:len(zipped)/2]},
		{"half a gzip", "unexpected EOF", "unexpected EOF", zipped[:3]},
	} {
		path := file(t, "bad", q.raw)
		if _, err := c.Count(path); q.counted == "" && err != nil ||
			q.counted != "" && (err == nil || !strings.HasPrefix(err.Error(), path+": "+q.counted)) {
			t.Errorf("%s: counting: error %v, want %q", q.name, err, q.counted)
		}
		err := c.ReadFile(path, make([]uint8, 2*cifarPixels), make([]int, 2))
		if err == nil || !strings.HasPrefix(err.Error(), path+": "+q.read) {
			t.Errorf("%s: error %v, want %q after the name of the file", q.name, err, q.read)
		}
	}
	absent := file(t, "x", nil) + "y"
	if _, err := c.Count(absent); err == nil {
		t.Error("an absent file was counted")
	}
	if c.ReadFile(absent, nil, nil) == nil {
		t.Error("an absent file was read")
	}
}
