package grammar

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A piece is a production that was written.
type piece struct {
	tops, vars  []string
	body, after string
}

const (
	depth = 2 // of expressions

	// here is what stands at the $hole of a production.
	here = "$(see.Int(int64($N{int})) ~ $V{float64} = $E{float64}; see.Float($V{float64}) ~ " +
		"see.Text($E{string}) ~ " +
		"if $N{bool} { see.Float($N{float64}) } else { see.Text($N{string}) })"
)

// instantiate writes a production.
func (g *Grammar) instantiate(production int, rng *rand.Rand, suffix string) (piece, error) {
	p, w := g.Productions[production], &writer{rng: rng, kinds: g.kinds, without: g.forms}
	body := strings.ReplaceAll(p.body, "$hole", here)
	body, err := w.fill(w.choose(body), p.of)
	if err != nil {
		return piece{}, err
	}
	top := ""
	if p.top != "" {
		w.closed = true
		if top, err = w.fill(w.choose(p.top), p.of); err != nil {
			return piece{}, err
		}
	}
	out := piece{body: body, after: after(body)}
	out.tops = append(w.tops, strings.TrimSpace(top))
	// What an alternative declared that was not taken is not used.
	out.vars = slices.DeleteFunc(w.vars, func(v string) bool {
		name, _, _ := strings.Cut(strings.TrimPrefix(v, "*"), " :=")
		return !strings.Contains(body, name)
	})
	for _, list := range [][]string{out.tops, out.vars} {
		for i := range list {
			list[i] = w.show(list[i], p.of)
			list[i] = strings.ReplaceAll(list[i], "§", suffix)
		}
	}
	out.after = strings.ReplaceAll(w.show(out.after, p.of), "§", suffix)
	out.body = strings.ReplaceAll(w.show(out.body, p.of), "§", suffix)
	return out, nil
}

// choose takes one of the alternatives of each $(a ~ b ~ c), from the outside in.
func (w *writer) choose(text string) string {
	for {
		at := strings.Index(text, "$(")
		if at < 0 {
			return text
		}
		open, end := 0, at+1
		for ; end < len(text); end++ {
			if text[end] == '(' {
				open++
			} else if text[end] == ')' {
				if open--; open == 0 {
					break
				}
			}
		}
		options := separate(text[at+2:end], " ~ ")
		text = text[:at] + w.one(options...) + text[end+1:]
	}
}

// separate cuts a text at each separator that is not within brackets.
func separate(text, at string) (list []string) {
	open, from := 0, 0
	for i := range text {
		switch {
		case strings.IndexByte("([{", text[i]) >= 0:
			open++
		case strings.IndexByte(")]}", text[i]) >= 0:
			open--
		case open == 0 && strings.HasPrefix(text[i:], at):
			list = append(list, text[from:i])
			from = i + len(at)
		}
	}
	return append(list, text[from:])
}

// slot finds what is replaced at random: $T a type, $E an expression, $N one that is
// no constant, $C an untyped constant, $L a value without operands, $V a variable, $i{n} an
// index below n. The type is that of the production, or stands in braces.
var slot = regexp.MustCompile(`\$([TENCLVi])(?:\{(\w+)\})?`)

// fill replaces the slots.
func (w *writer) fill(text string, of *kind) (string, error) {
	var wrong error
	text = slot.ReplaceAllStringFunc(text, func(found string) string {
		m := slot.FindStringSubmatch(found)
		if m[1] == "i" {
			n, err := strconv.Atoi(m[2])
			if err != nil {
				wrong = fmt.Errorf("%s: no number", found)
				return ""
			}
			return w.index(n)
		}
		k, rest := of, ""
		if m[2] != "" {
			if k = w.kind(m[2]); k == nil { // the braces are those of a literal
				k, rest = of, "{"+m[2]+"}"
			}
		}
		if k == nil {
			wrong = fmt.Errorf("%s: no such type", found)
			return ""
		}
		return w.chosen(m[1], k) + rest
	})
	return text, wrong
}

// chosen returns what a slot is filled with.
func (w *writer) chosen(what string, k *kind) string {
	switch what {
	case "T":
		return w.typeOf(k)
	case "N":
		return w.operand(k, depth)
	case "C":
		return w.constant(k)
	case "L":
		return w.literal(k)
	case "V":
		return w.variable(k)
	}
	return w.value(k, depth)
}

// shown is a line that shows variables.
var shown = regexp.MustCompile(`(?m)^(\t*)show(?:\{(\w+)\})? (.+)$`)

// show writes the lines that show variables. A list of them is separated by ", ".
func (w *writer) show(text string, of *kind) string {
	return shown.ReplaceAllStringFunc(text, func(line string) string {
		m := shown.FindStringSubmatch(line)
		k := of
		if m[2] != "" {
			k = w.kind(m[2])
		}
		var all []string
		for _, what := range separate(m[3], ", ") {
			if strings.HasPrefix(what, "*") {
				what = "(" + what + ")"
			}
			all = append(all, k.say(what))
		}
		return m[1] + strings.Join(all, "; ")
	})
}

// after returns the lines of a body that show what lives as long as it.
func after(body string) string {
	var b strings.Builder
	for _, line := range shown.FindAllString(body, -1) {
		if !strings.HasPrefix(line, "\t") {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}
