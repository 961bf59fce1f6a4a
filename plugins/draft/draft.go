// Package draft writes new strategies: of every kind that there can be one of, with an experiment
// that compares it with others.
package draft

import (
	"embed"
	"fmt"
	"go/format"
	"go/scanner"
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"github.com/hansa-fl/hansa/plugins/symbols"
	"github.com/hansa-fl/hansa/registry"
)

// templates holds a folder for each kind that a strategy can be of, with a strategy called
// "mine" and an experiment with it. A folder whose name ends in "-state" holds another strategy of
// the kind, which keeps state from round to round.
//
//go:embed templates
var templates embed.FS

// A Draft is a new strategy: of what kind, and under what name.
type Draft struct {
	Kind, Name string
	State      bool // it is the one of its kind that is about state; see HasState
}

// Has reports whether a strategy can be of a kind.
func Has(kind string) bool {
	_, err := templates.ReadDir("templates/" + kind)
	return err == nil
}

// HasState reports whether a kind has a second draft, which is about state.
func HasState(kind string) bool { return Has(kind + stateful) }

// stateful ends the name of the folder of such a draft.
const stateful = "-state"

// Noun is what one component of the kind is called.
func (d Draft) Noun() string {
	k, _ := registry.KindNamed(d.Kind)
	return k.Noun
}

// Files returns the files of a draft, by their names.
func (d Draft) Files() (map[string]string, error) {
	files, err := d.Strategy()
	if err != nil {
		return nil, err
	}
	return files, AddModule(files, d.Name)
}

// AddModule adds what editors and go vet need to find the package fl.
func AddModule(files map[string]string, name string) error {
	files["go.mod"] = fmt.Sprintf("module strategy-%s\n\ngo %s\n\nrequire %[3]s v0.0.0\n\n"+
		"replace %[3]s => ./.hansa\n", name, symbols.Language, symbols.Path)
	module, err := symbols.Module()
	for name, text := range module {
		files[".hansa/"+name] = text
	}
	return err
}

// Strategy returns those of its files that are its own.
func (d Draft) Strategy() (map[string]string, error) {
	code, err := d.Template("mine.go")
	if err != nil {
		return nil, err
	}
	experiment, err := d.Template("mine.toml")
	if err != nil {
		return nil, err
	}
	text, err := d.code(code)
	return map[string]string{
		d.Name + ".go":   text,
		d.Name + ".toml": mine.ReplaceAllLiteralString(experiment, d.Name),
	}, err
}

// Template returns a file of the template of the kind: mine.go or mine.toml.
func (d Draft) Template(file string) (string, error) {
	folder := d.Kind
	if d.State {
		folder += stateful
	}
	text, err := templates.ReadFile("templates/" + folder + "/" + file)
	return string(text), err
}

// mine is what stands for the name of a strategy in templates; in Go also, between quotes or
// after package, for its name where it is no identifier.
var (
	mine   = regexp.MustCompile(`\bmine\b`)
	mineGo = regexp.MustCompile(`"mine"|\b[Pp]ackage mine\b|\b[Mm]ine\b`)
)

// code writes the name of the strategy and what derives from it into a template.
func (d Draft) code(template string) (string, error) {
	exported := d.identifier(template)
	unexported := strings.ToLower(exported[:1]) + exported[1:]
	text := mineGo.ReplaceAllStringFunc(template, func(found string) string {
		switch word, _, _ := strings.Cut(found, " mine"); found {
		case `"mine"`:
			return `"` + d.Name + `"`
		case "Mine":
			return exported
		case "mine":
			return unexported
		default:
			return word + " " + strings.ToLower(exported)
		}
	})
	formatted, err := format.Source([]byte(text))
	return string(formatted), err
}

// identifier returns the name in the form of an exported one: MyRule for my-rule. The kind
// stands before it where the name alone cannot be one, or would hide what the code uses when
// it begins with a small letter.
func (d Draft) identifier(template string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(d.Name, "-") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	name := b.String()
	taken := identifiers(template)
	for _, form := range []string{strings.ToLower(name[:1]) + name[1:], strings.ToLower(name)} {
		if !token.IsIdentifier(form) || types.Universe.Lookup(form) != nil || taken[form] {
			kind, _, _ := strings.Cut(d.Noun(), " ")
			return strings.ToUpper(kind[:1]) + kind[1:] + name
		}
	}
	return name
}

// identifiers returns the identifiers in a text, and those that Go takes for something else.
func identifiers(text string) map[string]bool {
	found := map[string]bool{"init": true, "main": true}
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, []byte(text), nil, 0)
	for {
		_, tok, literal := s.Scan()
		if tok == token.EOF {
			return found
		}
		if tok == token.IDENT && literal != "mine" {
			found[literal] = true
		}
	}
}
