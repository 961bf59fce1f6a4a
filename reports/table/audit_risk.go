package table

import "github.com/hansa-fl/hansa/framework/audit"

// addRisks adds what methods do to objectives other than the mean, a method a line.
func (t *AuditTable) addRisks(group []audit.Finding) {
	var keys []string
	for i := range group {
		if len(group[i].Risks) > len(keys) {
			keys = nil
			for _, r := range group[i].Risks {
				keys = append(keys, r.Key)
			}
		}
	}
	if keys == nil {
		return
	}
	lines := [][]string{append([]string{"method"}, keys...)}
	least := []string{"least ρ*"}
	mean := []string{"θ*, of the mean"}
	for k := range keys {
		least, mean = append(least, "—"), append(mean, "—")
		for i := range group {
			if r := group[i].Risks; k < len(r) && r[k].Unknown == "" {
				least[k+1], mean[k+1] = ThreeDigits(r[k].Optimum), ThreeDigits(r[k].AtMean)
			}
		}
	}
	n := &noteList{}
	for i := range group {
		line := []string{group[i].Method}
		for k := range keys {
			cell := "—"
			if r := group[i].Risks; k < len(r) {
				if cell = ThreeDigits(r[k].Floor); r[k].Unknown != "" {
					cell = "—"
					n.mark(keys[k] + ": " + r[k].Unknown)
				}
			}
			line = append(line, cell)
		}
		lines = append(lines, line)
	}
	t.Panels = append(t.Panels, append(lines, mean, least))
	for _, x := range n.list {
		t.Notes = append(t.Notes, Note{Term: "not known", Text: x.Text})
	}
	t.Notes = append(t.Notes, Note{Term: "ρ", Text: "objectives that metrics name, such as the " +
		"loss of the worst clients: ρ(θ_p̃) − ρ* where a method ends by its weights alone, and " +
		"the same of the minimiser of the mean; — : the method has no p̃"})
}
