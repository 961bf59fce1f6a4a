package study

import (
	"maps"
	"regexp"
	"slices"
)

// A Kind is one kind of component, as a schema of experiments knows it: a slot, or what other
// components hold.
type Kind struct {
	Name       string
	Meaning    string
	Components []Component
}

// A Component is what can be named somewhere.
type Component struct {
	Name    string
	Summary string
	Params  map[string]any  // JSON Schemas of its parameters, by name
	Nested  map[string]bool // which of them hold a component
}

// KindSchema is the JSON Schema of a component of a kind, within that of Schema.
func KindSchema(kind string) map[string]any { return ref(kind) }

// An object is a part of a JSON Schema.
type object = map[string]any

// ref refers to a definition.
func ref(name string) object { return object{"$ref": "#/$defs/" + name} }

// line is a text as reader.text wants it.
func line() object { return object{"type": "string", "pattern": `^\S(.*\S)?$`} }

// oneOrMore is one of these, or a list of them.
func oneOrMore(item object) object {
	return object{"anyOf": []any{item, object{"type": "array", "items": item}}}
}

// listOf is a list that is not empty.
func listOf(items ...any) object {
	if len(items) == 1 {
		return object{"type": "array", "minItems": 1, "items": items[0]}
	}
	return object{"type": "array", "minItems": 1, "items": object{"anyOf": items}}
}

// Schema returns a JSON Schema, draft 2020-12, of experiment files that name these components. It
// accepts every experiment that Read, Expand and a registry of these components do. What depends
// on several places at once it cannot refuse: a parameter that is missing in the end, labels that
// are used twice, components that do not fit together.
func Schema(kinds []Kind) map[string]any {
	f := grammar{defs: object{}, paths: object{}, patterns: object{}}
	for _, k := range kinds {
		f.kind(k)
	}
	f.settings()
	f.sweep()
	top := object{
		"title":   described(line(), "what tables are called"),
		"paper":   described(line(), "key of a reference, or a citation"),
		"plugins": described(oneOrMore(line()), "Go files or folders with strategies, from here"),
		"seeds": described(object{"anyOf": []any{
			object{"type": "integer", "minimum": 1, "maximum": mostSeeds},
			object{"type": "array", "minItems": 1, "maxItems": mostSeeds, "uniqueItems": true,
				"items": object{"type": "integer", "minimum": 0}},
		}}, "a number n for 0 … n−1, or a list"),
		"setting":   ref("setting"),
		"method":    listOf(ref("method")),
		"ablate":    object{"type": "array", "items": ref("ablation")},
		"sweep":     ref("sweep"),
		"reference": object{"type": "array", "items": ref("reference")},
		"claim":     object{"type": "array", "items": ref("claim")},
		"report":    ref("report"),
		"tune":      ref("tune"),
	}
	return object{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "an experiment of hansa",
		"type":    "object", "properties": top, "required": []string{"method"},
		"additionalProperties": false, "$defs": f.defs,
	}
}

// described adds to a schema what it is for.
func described(o object, text string) object {
	o = maps.Clone(o)
	o["description"] = text
	return o
}

// A grammar is a schema in the making.
type grammar struct {
	defs     object
	paths    object // quoted paths of parameters: "availability.k"
	patterns object // what such paths begin with where they go deeper
}

// kind defines the components of a kind, and how a setting picks one and changes its parameters.
func (f *grammar) kind(k Kind) {
	names, own := []string{}, object{}
	var named []any
	for _, c := range k.Components {
		names = append(names, c.Name)
		named = append(named, ref(f.component(k.Name, c)))
		for name := range c.Params {
			own[name] = either(own[name], ref(k.Name+"."+c.Name+"/properties/"+name))
		}
		f.open(k.Name, c)
	}
	choices := slices.Concat([]any{object{"enum": names}}, named)
	switch k.Name {
	case "metrics":
		f.defs[k.Name] = described(listOf(object{"anyOf": choices}), k.Meaning)
		return
	case chainKey:
		row := object{"type": "array", "items": object{"anyOf": choices}}
		choices = slices.Concat([]any{object{"enum": append(names, noChain)}}, named, []any{row})
	case "model", "guard":
		choices = append(choices, listOf(object{"anyOf": slices.Clone(choices)}))
	}
	parameters := k.Name + ".parameters"
	below := object{"type": "object", "properties": own,
		"description":          "parameters of whatever is named below",
		"additionalProperties": false}
	if isRow(k.Name) { // below the name or the number of one stand parameters of it
		for _, c := range k.Components {
			own[c.Name] = object{"type": "object", "properties": c.Params,
				"additionalProperties": false}
		}
		below["patternProperties"] = object{"^(0|[1-9][0-9]*)$": object{"type": "object"}}
		f.patterns["^"+k.Name+`\.(0|[1-9][0-9]*)\..`] = true
	}
	f.defs[parameters] = below
	f.defs[k.Name] = object{"description": k.Meaning, "anyOf": append(choices, ref(parameters))}
}

// component defines one component, and returns what the definition is called.
func (f *grammar) component(kind string, c Component) string {
	properties := object{"name": object{"const": c.Name}}
	maps.Copy(properties, c.Params)
	if kind == "metrics" {
		properties["label"] = described(line(), "what the series is called")
		properties["iterate"] = object{"enum": iterates}
	}
	def := kind + "." + c.Name
	f.defs[def] = object{"type": "object", "description": c.Summary, "properties": properties,
		"required": []string{"name"}, "additionalProperties": false}
	return def
}

// open lets parameters of a component in a setting be given by quoted paths: "availability.k".
func (f *grammar) open(slot string, c Component) {
	if slot == "metrics" || !slices.Contains(settingKeys, slot) {
		return
	}
	for name := range c.Params {
		places := map[string]string{slot + "." + name: slot + ".parameters/properties/" + name}
		if isRow(slot) {
			def := slot + "." + c.Name
			places[def+"."+name] = def + "/properties/" + name
		}
		for path, definition := range places {
			f.paths[path] = ref(definition)
			if c.Nested[name] {
				f.patterns["^"+regexp.QuoteMeta(path)+`\..`] = true
			}
		}
	}
}

// either is a schema of what several components have under one name.
func either(a, b any) any {
	if a == nil {
		return b
	}
	choices := []any{a}
	if o, ok := a.(object); ok && len(o) == 1 && o["anyOf"] != nil {
		choices = o["anyOf"].([]any)
	}
	return object{"anyOf": append(slices.Clone(choices), b)}
}
