package export

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// castagnoli returns the CRC-32C of a text bit by bit, as the polynomial defines it.
func castagnoli(b []byte) uint32 {
	sum := ^uint32(0)
	for _, c := range b {
		sum ^= uint32(c)
		for range 8 {
			sum = sum>>1 ^ 0x82f63b78&-(sum&1)
		}
	}
	return ^sum
}

// unmasked undoes what TFRecord does to checksums.
func unmasked(x uint32) uint32 {
	x -= 0xa282ead8
	return x>>17 | x<<15
}

// records reads a TFRecord file and verifies every checksum.
func records(t *testing.T, b []byte) (list [][]byte) {
	t.Helper()
	verify := func(part []byte, sum []byte) {
		if unmasked(binary.LittleEndian.Uint32(sum)) != castagnoli(part) {
			t.Fatalf("the checksum of % x is not % x", part, sum)
		}
	}
	for len(b) > 0 {
		n := binary.LittleEndian.Uint64(b)
		verify(b[:8], b[8:12])
		verify(b[12:12+n], b[12+n:16+n])
		list, b = append(list, b[12:12+n]), b[16+n:]
	}
	return list
}

// A field is one field of a message of protobuf: a number, or what its bytes are.
type field struct {
	number  int
	varint  uint64
	fixed   uint32
	content []byte
}

// fields takes a message apart.
func fields(t *testing.T, b []byte) (list []field) {
	t.Helper()
	varint := func() (x uint64) {
		for shift := 0; ; shift += 7 {
			c := b[0]
			b = b[1:]
			x |= uint64(c&0x7f) << shift
			if c < 0x80 {
				return x
			}
		}
	}
	for len(b) > 0 {
		key := varint()
		f := field{number: int(key >> 3)}
		switch key & 7 {
		case 0:
			f.varint = varint()
		case 2:
			n := varint()
			f.content, b = b[:n], b[n:]
		case 5:
			f.fixed, b = binary.LittleEndian.Uint32(b), b[4:]
		default:
			t.Fatalf("a field of wire type %d", key&7)
		}
		list = append(list, f)
	}
	return list
}

// scalars returns what an event file says: a line for each value.
func scalars(t *testing.T, b []byte) (lines []string) {
	t.Helper()
	all := records(t, b)
	if first := fields(t, all[0]); len(first) != 1 || first[0].number != 3 ||
		string(first[0].content) != "brain.Event:2" {
		t.Fatalf("it begins with %+v", first)
	}
	for _, r := range all[1:] {
		event := fields(t, r)
		if len(event) != 2 || event[0].number != 2 || event[1].number != 5 {
			t.Fatalf("event %+v", event)
		}
		for _, v := range fields(t, event[1].content) {
			value := fields(t, v.content)
			if v.number != 1 || len(value) != 2 || value[0].number != 1 || value[1].number != 2 {
				t.Fatalf("value %+v", value)
			}
			lines = append(lines, fmt.Sprint(event[0].varint, " ", string(value[0].content), " ",
				math.Float32frombits(value[1].fixed)))
		}
	}
	return lines
}

func TestEventsReadBack(t *testing.T) {
	in := exported().Input
	files := map[string]string{}
	if err := Events(in, tree(files)); err != nil {
		t.Fatal(err)
	}
	if len(files) != 8 { // of twelve cells, of which four have no result
		t.Errorf("%d files", len(files))
	}
	const file = "/events.out.tfevents.0.hansa"
	for name, want := range map[string][]string{
		"FedAvg, -plain- -b-/k = 2/strong/seed=0": {"0 loss 1e+09", "0 upload 0", "0 seconds 0",
			"10 loss 0.1", "10 upload 5e+20", "10 seconds 1.5", "20 loss 0.1", "20 upload 1e+21", "20 seconds 3"},
		"FedAVOT-λ/k = 2/strong/seed=1": {"0 loss 1e+09", "0 upload 0",
			"10 loss -Inf", "10 upload 5e+20", "20 loss -Inf", "20 upload 1e+21"},
		"FedAVOT-λ/k = 10/strong/seed=0": {"0 loss 1e+09", "0 upload 0",
			"10 loss NaN", "10 upload 5e+20", "20 loss NaN", "20 upload 1e+21"},
	} {
		if got := scalars(t, []byte(files[name+file])); !slices.Equal(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
	wrong := errors.New("full")
	if err := Events(in, func(string, []byte) error { return wrong }); !errors.Is(err, wrong) {
		t.Errorf("an error of the disk is %v", err)
	}
}

// Texts that a file system takes for one are folders of their own, and checksums are those of
// other programs: that of a length of 24 begins every file that TensorFlow writes.
func TestEventsAreToldApart(t *testing.T) {
	x := exported()
	for i := range x.Cells {
		if strings.HasPrefix(x.Cells[i].Method, "FedAvg") {
			x.Cells[i].Method = "fedavot-λ"
		}
	}
	files := map[string]string{}
	if err := Events(x.Input, tree(files)); err != nil || len(files) != 8 {
		t.Errorf("%d files, %v", len(files), err)
	}
	if got := masked(binary.LittleEndian.AppendUint64(nil, 24)); got != 0x224b7fa3 {
		t.Errorf("checksum %#x", got)
	}
}
