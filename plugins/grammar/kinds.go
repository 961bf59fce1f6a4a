package grammar

import (
	"slices"
	"strings"
)

// A kind is a type of the dialect.
type kind struct {
	name     string   // in the matrix, and in names of variables
	text     string   // in programs
	decl     string   // that it needs, if any
	sets     []string // that it belongs to
	constant []string // constants of it, which need no conversion beside a variable of it
	special  []string // values that are no constants
	show     string   // says @
}

// kinds returns all types.
func kinds() []*kind {
	list := basicKinds()
	for _, named := range []struct{ name, of string }{{"Count", "int"}, {"Real", "float64"},
		{"Word", "string"}, {"Small", "uint8"}} {
		of := *list[slices.IndexFunc(list, func(k *kind) bool { return k.name == named.of })]
		of.name, of.text = named.name, named.name+"§"
		of.decl = "type " + of.text + " " + named.of
		of.sets = append(slices.Clip(of.sets), "named")
		list = append(list, &of)
	}
	return append(list, composites()...)
}

func basicKinds() []*kind {
	list := []*kind{
		{name: "bool", sets: []string{"comparable"}, constant: []string{"true", "false"},
			show: "see.Bool(bool(@))"},
		{name: "string", sets: []string{"comparable", "ordered"}, show: "see.Text(string(@))",
			constant: []string{`"a"`, `""`, `"bc"`, `"é€x"`, `"a\xffb"`, `"zz" + "y"`}},
	}
	signed := []string{"0", "1", "2", "3", "7", "(-1)", "(-5)", "7 / 2", "'a'", "1 << 3"}
	unsigned := []string{"0", "1", "2", "3", "7", "100", "9 % 4", "'b'", "1 << 4"}
	for _, s := range []struct{ name, least, most string }{
		{"int", "(-1 << 63)", "(1<<63 - 1)"}, {"int8", "(-128)", "127"},
		{"int16", "(-1 << 15)", "(1<<15 - 1)"}, {"int32", "(-1 << 31)", "(1<<31 - 1)"},
		{"int64", "(-1 << 63)", "(1<<63 - 1)"}} {
		list = append(list, &kind{name: s.name, show: "see.Int(int64(@))",
			sets:     []string{"comparable", "ordered", "numbers", "integers", "signed"},
			constant: append(slices.Clip(signed), s.least, s.most)})
	}
	for _, u := range []struct{ name, most string }{{"uint", "(1<<64 - 1)"}, {"uint8", "255"},
		{"uint16", "(1<<16 - 1)"}, {"uint32", "(1<<32 - 1)"}, {"uint64", "(1<<64 - 1)"}} {
		list = append(list, &kind{name: u.name, show: "see.Uint(uint64(@))",
			sets:     []string{"comparable", "ordered", "numbers", "integers", "unsigned"},
			constant: append(slices.Clip(unsigned), u.most)})
	}
	for _, name := range []string{"float32", "float64"} {
		list = append(list, &kind{name: name, show: "see.Float(float64(@))",
			sets: []string{"comparable", "ordered", "numbers", "floats"},
			constant: []string{"0", "0.5", "1.25", "(-2)", "3", "1e10", "0.1", "1.0 / 3", "7 / 2",
				"1e-30", "(-0.75)", "1 << 5", "'c'"},
			special: []string{"math.Inf(1)", "math.Inf(-1)", "math.NaN()", "math.Copysign(0, -1)",
				"math.Copysign(0, -1)"}})
	}
	for _, k := range list {
		k.text = k.name
		k.sets = append(k.sets, "basic", "all")
	}
	return list
}

// composites are types with parts. What is shown of them are all their parts.
func composites() []*kind {
	const point = "type Point§ struct {\n\tX, Y float64\n\tN int\n\tA [2]float64\n" +
		"\tIn struct{ K int8; T string }\n}"
	const showPoint = "see.Float(@.X); see.Float(@.Y); see.Int(int64(@.N)); see.Float(@.A[0]); " +
		"see.Float(@.A[1]); see.Int(int64(@.In.K)); see.Text(@.In.T)"
	each := func(show string) string {
		return "see.Int(int64(len(@))); for at := range len(@) { part := @[at]; " +
			strings.ReplaceAll(show, "@", "part") + " }"
	}
	list := []*kind{
		{name: "struct", text: "Point§", decl: point, show: showPoint,
			sets: []string{"comparable", "copied"},
			special: []string{"Point§{}", "Point§{X: 1.5, N: k}",
				"Point§{A: [2]float64{1, float64(k)}}",
				`Point§{1, -2, 3, [2]float64{4, 5}, struct{ K int8; T string }{6, "t"}}`}},
		{name: "slice", text: "[]float64", sets: []string{"slices"},
			show: "see.Bool(@ == nil); " + each("see.Float(@)"),
			special: []string{"[]float64{}", "[]float64{1, 2.5, float64(k)}", "[]float64(nil)",
				"make([]float64, 2, 4)"}},
		{name: "structs", text: "[]Point§", decl: point, sets: []string{"slices"},
			show:    each(showPoint),
			special: []string{"[]Point§{{X: 1}, {N: k}}", "make([]Point§, 1)"}},
		{name: "Vector", text: "Vector§", decl: "type Vector§ []float64",
			sets: []string{"slices", "named"}, show: each("see.Float(@)"),
			special: []string{"Vector§(nil)", "Vector§{1, float64(k)}"}},
		{name: "map", text: "map[string]float64",
			show: `see.Int(int64(len(@))); see.Float(@["a"]); see.Float(@["b"])`,
			special: []string{"map[string]float64{}",
				`map[string]float64{"a": 1, "b": float64(k)}`}},
		{name: "pointer", text: "*Point§", decl: point, sets: []string{"comparable"},
			show:    showPoint,
			special: []string{"new(Point§)", "&Point§{X: 2, N: k}"}},
	}
	list = append(list, arrays()...)
	for _, k := range list {
		k.sets = append(k.sets, "composite", "all")
	}
	return list
}

func arrays() []*kind {
	const four = "see.Int(int64(@[0][0])); see.Int(int64(@[0][1])); " +
		"see.Int(int64(@[1][0])); see.Int(int64(@[1][1]))"
	return []*kind{
		{name: "array", text: "[3]float64", sets: []string{"comparable", "copied"},
			show: "see.Float(@[0]); see.Float(@[1]); see.Float(@[2])",
			special: []string{"[3]float64{}", "[3]float64{1, float64(k), 3}",
				"[...]float64{2: 7.5}"}},
		{name: "arrays", text: "[2][2]int16", sets: []string{"comparable", "copied"}, show: four,
			special: []string{"[2][2]int16{}", "[2][2]int16{{1, int16(k)}, {3}}"}},
	}
}

// in reports whether a kind belongs to a set, or is it.
func (k *kind) in(set string) bool { return k.name == set || slices.Contains(k.sets, set) }

// say returns statements that show a variable of the kind.
func (k *kind) say(what string) string { return strings.ReplaceAll(k.show, "@", what) }
