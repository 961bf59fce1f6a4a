package cli

import (
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/session/settings"
	"github.com/hansa-fl/hansa/registry"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

// ParameterRow returns what is printed of a parameter: name, default, values and meaning. Options
// that take more than three tenths of the width beyond ten columns are listed with the meaning, and
// so is a default that takes more than half of the width.
func ParameterRow(p fl.Spec, width int) []string {
	text, values := p.Doc, p.Kind
	switch {
	case p.Kind == "choice":
		values = strings.Join(p.Options, " | ")
		if phrase.Width(values) > (width-10)*3/10 {
			values, text = "one of …", strings.Join(p.Options, ", ")+"\n"+text
		}
	case p.Kind == "bool":
		values = "true | false"
	case p.Kind == "int":
		values = "int " + p.Range.String()
	case p.Kind == "floats":
		values = "list of " + p.Range.String()
	case p.Kind == "ints":
		values = "list of int " + p.Range.String()
	case p.Kind == "texts":
		values = "list of texts"
	case p.Range != nil:
		values = p.Range.String()
	}
	fallback := "none"
	if p.Required {
		fallback = "required"
	} else if p.Default != nil {
		fallback = settings.Literal(p.Default)
	}
	if phrase.Width(fallback) > width/2 {
		fallback, text = "…", "by default "+fallback+"\n"+text
	}
	return []string{p.Name, fallback, values, text}
}

// glued and unglued make spaces unbreakable, and spaces again.
var (
	glued   = strings.NewReplacer(" ", "␣")
	unglued = strings.NewReplacer("␣", " ")
)

// unused reports whether a parameter has no effect on what is built with the defaults: its meaning
// begins with the options of a choice that it is for, as in "random-conv, cnn: windows", and the
// default of that choice is none of them.
func unused(p fl.Spec, all []fl.Spec) bool {
	names, _, found := strings.Cut(p.Doc, ": ")
	if !found {
		return false
	}
	return slices.ContainsFunc(all, func(choice fl.Spec) bool {
		for _, name := range strings.Split(names, ", ") {
			if !slices.Contains(choice.Options, name) || choice.Default == name {
				return false
			}
		}
		return choice.Default != nil
	})
}

// Example returns the lines of an experiment that pick the component, with all it takes: the
// defaults that have an effect, and of what has none an example where something has to be written.
// So the lines say the same as the name alone, wherever that is enough. TOML lets an inline table
// go on in the next line between its fields only.
func Example(e registry.Description, width int) string {
	var parts []string
	needs := slices.ContainsFunc(e.Params, func(p fl.Spec) bool { return p.Required })
	for _, p := range e.Params {
		v, given := e.Example[p.Name]
		switch {
		case unused(p, e.Params):
			continue
		case !p.Required && p.Default != nil:
			v = p.Default
		case needs && given:
		case p.Required && len(p.Options) > 0:
			v = p.Options[0]
		default:
			continue
		}
		parts = append(parts, glued.Replace(p.Name+" = "+settings.Literal(v)))
	}
	pick := settings.Literal(e.Name)
	if len(parts) > 0 {
		pick = glued.Replace("{ name = ") + strings.Join(slices.Insert(parts, 0, pick), ", ") +
			glued.Replace(" }")
	}
	k, _ := registry.KindNamed(e.Kind)
	if k.Many {
		pick = "[" + pick + "]"
	}
	return unglued.Replace(console.Paragraph(console.Margin+k.Path+" = ", pick, width))
}
