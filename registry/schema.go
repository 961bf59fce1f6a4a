package registry

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// Schema returns a JSON Schema, draft 2020-12, of the experiments that can be composed of what is
// registered. See study.Schema.
func (r *Registry) Schema() map[string]any {
	var kinds []study.Kind
	all := r.Kinds()
	for _, k := range append(all, Borrowers(all)...) {
		kind := study.Kind{Name: k.Name, Meaning: k.Meaning}
		for _, e := range k.Entries {
			c := study.Component{Name: e.Name, Summary: e.Summary, Params: map[string]any{},
				Nested: map[string]bool{}}
			for _, p := range e.Params {
				c.Params[p.Name] = schemaOf(p)
				c.Nested[p.Name] = p.Nested()
			}
			kind.Components = append(kind.Components, c)
		}
		kinds = append(kinds, kind)
	}
	return study.Schema(kinds)
}

// schemaOf returns the schema of a parameter.
func schemaOf(p fl.Spec) map[string]any {
	schema := typeOf(p)
	doc := p.Doc
	if p.Required {
		doc += " (required)"
	}
	schema["description"] = doc
	if x, number := p.Default.(float64); p.Default != nil && !(number && math.IsInf(x, 0)) {
		schema["default"] = p.Default
	}
	return schema
}

// typeOf returns what values a parameter takes.
func typeOf(p fl.Spec) map[string]any {
	list := func(items map[string]any) map[string]any {
		return map[string]any{"type": "array", "items": items}
	}
	text := map[string]any{"type": "string", "minLength": 1}
	switch p.Kind {
	case "float":
		return numbers("number", p.Range)
	case "int":
		return numbers("integer", p.Range)
	case "floats":
		return list(numbers("number", p.Range))
	case "ints":
		return list(numbers("integer", p.Range))
	case "bool":
		return map[string]any{"type": "boolean"}
	case "choice":
		return map[string]any{"enum": p.Options}
	case "text":
		return text
	case "texts":
		return list(text)
	case "models":
		return list(study.KindSchema("model"))
	case "guards":
		return list(study.KindSchema("guard"))
	}
	return study.KindSchema(p.Kind)
}

// numbers is the schema of numbers in a range.
func numbers(kind string, in *fl.Range) map[string]any {
	schema := map[string]any{"type": kind}
	bound := func(at float64, open bool, closed, exclusive string) {
		switch {
		case math.IsInf(at, 0):
		case open:
			schema[exclusive] = at
		default:
			schema[closed] = at
		}
	}
	bound(in.Lo, in.LoOpen, "minimum", "exclusiveMinimum")
	bound(in.Hi, in.HiOpen, "maximum", "exclusiveMaximum")
	return schema
}
