package table

import (
	"fmt"
	"strings"

	"github.com/hansa-fl/hansa/framework/audit"
)

// policyNote says what each value of the parameter leads to that replaces an unattainable p, or
// nothing where there is no such parameter.
func policyNote(f *audit.Finding) string {
	var parts []string
	param := ""
	for _, p := range f.Policies {
		name := fmt.Sprintf("%q", p.Value)
		if p.Param != param {
			param = p.Param
			name = param + " = " + name
		}
		text := fmt.Sprintf("%s: total variation from p %s, effective cohort size %s", name,
			ThreeDecimals(p.TV), ThreeDigits(p.Speaking))
		if p.Prediction != nil && p.Prediction.Level != nil {
			l := p.Prediction.Level
			text += ", noise " + simulatedText(l.Noise, l)
		}
		parts = append(parts, text)
	}
	if parts == nil {
		return ""
	}
	return "p is unattainable; what is realised in its place, by " +
		"parameter: " + strings.Join(parts, "; ")
}
