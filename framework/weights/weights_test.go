package weights

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// file returns the content of a file of a header and data.
func file(header string, data ...byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

// Numbers of all types of floats are read as what they are.
func TestFloatsOfAllTypes(t *testing.T) {
	for _, c := range []struct {
		kind string
		data []byte
		want float64
	}{
		{"F64", binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.Pi)), math.Pi},
		{"F32", binary.LittleEndian.AppendUint32(nil, math.Float32bits(-1.5)), -1.5},
		{"BF16", []byte{0xc0, 0xbf}, -1.5},
		{"F16", []byte{0x00, 0x3c}, 1},
		{"F16", []byte{0xff, 0x7b}, 65504},
		{"F16", []byte{0x01, 0x80}, -math.Ldexp(1, -24)},
		{"F16", []byte{0xff, 0x03}, math.Ldexp(1023, -24)},
		{"F16", []byte{0x55, 0x35}, 0.333251953125},
		{"F16", []byte{0x00, 0xfc}, math.Inf(-1)},
		{"F16", []byte{0x01, 0x7c}, math.NaN()},
		{"U8", []byte{200}, 200},
	} {
		size := string(rune('0' + len(c.data)))
		f, err := Parse(file(`{"a":{"dtype":"`+c.kind+`","shape":[1],"data_offsets":[0,`+size+`]}}`,
			c.data...))
		if err != nil {
			t.Fatal(err)
		}
		v, err := f.Floats("a")
		if err != nil || len(v) != 1 || v[0] != c.want && !(v[0] != v[0] && c.want != c.want) {
			t.Errorf("%s %x: %v, %v, want %v", c.kind, c.data, v, err, c.want)
		}
	}
}

// A broken file says what is wrong with it.
func TestBrokenFiles(t *testing.T) {
	one := func(kind, shape, offsets string) []byte {
		return file(`{"a":{"dtype":"`+kind+`","shape":`+shape+`,"data_offsets":`+offsets+`}}`, 1, 2, 3, 4)
	}
	for want, content := range map[string][]byte{
		"it has 3 bytes":                      {1, 2, 3},
		"should have 18446744073709551615":    bytes.Repeat([]byte{0xff}, 20),
		"its header is no JSON object":        file(`[1]`),
		"its offsets [0 8] are not within":    one("F32", "[2]", "[0,8]"),
		"its offsets [4 0] are not within":    one("F32", "[1]", "[4,0]"),
		"its offsets [0] are not within":      one("F32", "[1]", "[0]"),
		"4 bytes, but its shape [2] of F32":   one("F32", "[2]", "[0,4]"),
		`type "F31" is none of BF16, BOOL`:    one("F31", "[1]", "[0,4]"),
		"shape [-1]":                          one("F32", "[-1]", "[0,4]"),
		"shape [4294967296 4294967296]":       one("F32", "[4294967296,4294967296]", "[0,4]"),
		"4 bytes of data, of which tensors":   one("U8", "[2]", "[0,2]"),
		"begins at byte 2, another ends at 0": one("U8", "[2]", "[2,4]"),
		"begins at byte 0, another ends at 4": file(`{"a":{"dtype":"U8","shape":[4],"data_offsets":`+
			`[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`, 1, 2, 3, 4),
		"cannot unmarshal": one("F32", `"x"`, "[0,4]"),
		"metadata":         file(`{"__metadata__":{"a":1}}`),
	} {
		if _, err := Parse(content); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	f, err := Parse(one("I32", "[]", "[0,4]"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Floats("a"); err == nil || !strings.Contains(err.Error(), "is of type I32") {
		t.Error(err)
	}
	if _, err := f.Floats("b"); err == nil || err.Error() != `has no tensor "b"` {
		t.Error(err)
	}
}

// FuzzParse: whatever a file holds, what is read of it fits the file.
func FuzzParse(f *testing.F) {
	var good bytes.Buffer
	if err := Write(&good, []Tensor{{"a", []int{2, 1}, []float32{1, 2}}, {"b", nil, []float32{3}}},
		map[string]string{"of": "a test"}); err != nil {
		f.Fatal(err)
	}
	f.Add(good.Bytes())
	f.Add(file(`{"a":{"dtype":"F16","shape":[0,9],"data_offsets":[0,0]}}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		file, err := Parse(content)
		if err != nil {
			return
		}
		total := 0
		for _, name := range file.Names() {
			shape, _ := file.Shape(name)
			v, err := file.Floats(name)
			if err != nil {
				continue
			}
			count := 1
			for _, d := range shape {
				count *= d
			}
			if count != len(v) {
				t.Errorf("%d elements of shape %d", len(v), shape)
			}
			total += len(v)
		}
		if total > len(content) {
			t.Errorf("%d elements in %d bytes", total, len(content))
		}
	})
}

// layout has a convolution with a norm, and a dense layer on a flattened image.
func layout() fl.Layout {
	return fl.Layout{
		Blocks: []fl.Block{
			{Name: fl.Weight, Layer: 0, Rows: 2, Cols: 8},
			{Name: fl.NormScale, Layer: 1, Rows: 2, Cols: 1, Offset: 16},
			{Name: fl.Weight, Layer: 2, Rows: 1, Cols: 6, Offset: 18},
			{Name: fl.Bias, Layer: 2, Rows: 1, Cols: 1, Offset: 24},
			{Name: fl.RunningMean, Layer: 1, Rows: 2, Cols: 1, Offset: 25},
		},
		Layers: []fl.Layer{
			{Kind: fl.KindConv, Name: "conv", From: []int{-1}, In: fl.Image{C: 2, H: 4, W: 2},
				Blocks: []int{0}, KH: 2, KW: 2},
			{Kind: fl.KindBatchNorm, Name: "bn", From: []int{0}, Blocks: []int{1, 4}},
			{Kind: fl.KindFlatten, From: []int{1}, In: fl.Image{C: 2, H: 3, W: 1}},
			{Kind: fl.KindReLU, From: []int{2}},
			{Kind: fl.KindDense, From: []int{3}, Blocks: []int{2, 3}},
		},
	}
}

// What is written is read back to the bit; windows and flattened images are turned.
func TestTensorsAndBack(t *testing.T) {
	l := layout()
	params := make(fl.Vector, l.Len())
	for i := range params {
		params[i] = float64(i)
	}
	tensors, err := Tensors(l, params)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []Tensor{
		{"conv.weight", []int{2, 2, 2, 2}, []float32{0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15}},
		{"bn.weight", []int{2}, []float32{16, 17}},
		{"layer2.weight", []int{1, 6}, []float32{18, 20, 22, 19, 21, 23}},
		{"layer2.bias", []int{1}, []float32{24}},
		{"bn.running_mean", []int{2}, []float32{25, 26}},
	} {
		if got := tensors[k]; got.Name != want.Name || !slices.Equal(got.Shape, want.Shape) ||
			!slices.Equal(got.Data, want.Data) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	path := filepath.Join(t.TempDir(), "x.safetensors")
	var b bytes.Buffer
	if err := Write(&b, tensors, map[string]string{"format": "pt"}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Read(path)
	if err != nil || f.Metadata["format"] != "pt" {
		t.Fatal(err, f.Metadata)
	}
	back := make(fl.Vector, len(params))
	if err := Fill(back, l, f, nil); err != nil || !slices.Equal(back, params) {
		t.Error(err, back)
	}
}

// Layers on every position of a sequence alone are matrices, as those of PyTorch's Linear, and are
// read as convolutions of 1×1, too.
func TestPositionsAreMatrices(t *testing.T) {
	l := fl.Layout{Blocks: []fl.Block{{Name: fl.Weight, Rows: 2, Cols: 3}},
		Layers: []fl.Layer{{Kind: fl.KindConv, Name: "a", From: []int{-1}, Blocks: []int{0},
			In: fl.Image{C: 3, H: 4, W: 1}, KH: 1, KW: 1}}}
	params := fl.Vector{1, 2, 3, 4, 5, 6}
	tensors, err := Tensors(l, params)
	if err != nil || !slices.Equal(tensors[0].Shape, []int{2, 3}) {
		t.Fatal(err, tensors)
	}
	for _, shape := range [][]int{{2, 3}, {2, 3, 1, 1}} {
		var b bytes.Buffer
		tensors[0].Shape = shape
		if err := Write(&b, tensors, nil); err != nil {
			t.Fatal(err)
		}
		f, err := Parse(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		back := make(fl.Vector, 6)
		if err := Fill(back, l, f, nil); err != nil || !slices.Equal(back, params) {
			t.Errorf("shape %d: %v, %v", shape, err, back)
		}
	}
}

// Fill says what a file lacks, what of it is of no use, and what has another shape.
func TestFillIsStrict(t *testing.T) {
	l := layout()
	write := func(list ...Tensor) *File {
		var b bytes.Buffer
		if err := Write(&b, list, nil); err != nil {
			t.Fatal(err)
		}
		f, err := Parse(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	good, err := Tensors(l, make(fl.Vector, l.Len()))
	if err != nil {
		t.Fatal(err)
	}
	params := make(fl.Vector, l.Len())
	ok := append(slices.Clone(good), Tensor{"bn.num_batches_tracked", nil, []float32{3}})
	if err := Fill(params, l, write(ok...), nil); err != nil {
		t.Error(err)
	}
	other := slices.Clone(good)
	other[0].Name = "body.0.weight"
	names := map[string]string{"conv.weight": "body.0.weight"}
	if err := Fill(params, l, write(other...), names); err != nil {
		t.Error(err)
	}
	wide := slices.Clone(good)
	wide[1] = Tensor{"bn.weight", []int{3}, make([]float32, 3)}
	nan := slices.Clone(good)
	nan[1] = Tensor{"bn.weight", []int{2}, []float32{1, float32(math.NaN())}}
	for want, f := range map[string]*File{
		`has no tensor "bn.running_mean", of shape [2]`:  write(good[:4]...),
		`"body.0.weight" belongs to no block`:            write(other...),
		`"bn.weight" has shape [3], the model needs [2]`: write(wide...),
		`"bn.weight" has NaN or Inf`:                     write(nan...),
	} {
		if err := Fill(params, l, f, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if err := Write(new(bytes.Buffer), []Tensor{good[0], good[0]}, nil); err == nil {
		t.Error("two tensors of one name are written")
	}
}
