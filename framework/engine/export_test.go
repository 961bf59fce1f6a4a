package engine

import (
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// ResidualOf returns residual weights.
func ResidualOf(visits, mean fl.Vector, untold string) *residual {
	return &residual{visits, mean, untold}
}

// ExposureOf returns when two clients were available.
func ExposureOf(rounds, last []int) *exposure {
	return &exposure{Rounds: rounds, Last: last, Most: 3, Separation: 2}
}

// ShadowOf returns what clients were sent of compressed models, with what the compressor keeps.
func ShadowOf(model fl.Vector, has map[int]int64, encoder *fl.Store) *shadow {
	return &shadow{Model: model, Round: 36, Made: 7, Total: 1 << 40, Sent: 3, Has: has,
		Encoder: encoder}
}

// PendingOf returns what an asynchronous server waits for.
func PendingOf(odd fl.Vector) *pending {
	return &pending{Waiting: []int{4, 0}, Updates: []pendingUpdate{
		{Client: 1, Model: 2, Tier: 3, At: 0.2, Toss: 0.3, Missed: true, Arrives: true, Limit: 5},
		{Client: 9, Model: 2, At: 0.4, Mail: fl.Tensors{"one": {Rows: 1, Cols: len(odd), Data: odd}}},
	}, Models: []sentModel{{Round: 2, Params: odd,
		Broadcast: fl.Tensors{"two": {Rows: len(odd), Cols: 1, Data: odd}}}}}
}

// Sharing returns a world with a memo of what it has in common with those of other cells.
func Sharing(w *World, m *Memo) *World {
	w.memo = m
	return w
}

// Untold returns why residual weights are not known.
func Untold(j *residual) string { return j.Untold }

// StateOf returns what a client keeps.
func StateOf(p *Progress, client int) *fl.Store { return p.Clients.kept[client].get() }

// StateIDs lists the clients that keep something.
func StateIDs(p *Progress) []int { return p.Clients.ids() }

// KeepOf makes p one in which a client keeps something.
func KeepOf(p *Progress, client, round int, s *fl.Store) {
	if p.Clients == nil {
		p.Clients = newClientStates()
	}
	p.Clients.kept[client] = &keptState{store: s, used: round}
	p.Clients.bytes += recordBytes + s.Bytes()
}

// MailOf makes p one in which mail waits for a client.
func MailOf(p *Progress, client int, t fl.Tensors) {
	if p.Mail == nil {
		p.Mail = newMail()
	}
	p.Mail.waiting[client] = t
}

// ReportOf makes p one in which a client told this.
func ReportOf(p *Progress, client int, told fl.Report) {
	if p.Reports == nil {
		p.Reports = reports{}
	}
	p.Reports[client] = told
}

// ListSubsets lists the cohorts that finish of those that are asked.
func ListSubsets(asked *fl.Law, finishes fl.Vector) (law fl.Law, ok bool) {
	ok = listSubsets(&law, asked, finishes)
	return law, ok
}

// Counted returns the distribution of cohorts with weights. The cohorts are overwritten.
func Counted(sets [][]int, q fl.Vector) fl.Law {
	var t cohortCounts
	for j, set := range sets {
		t.add(set, q[j])
		clear(set)
	}
	return t.law()
}

// CountingAllocates returns how often adding to the probability of a cohort that was met allocates.
func CountingAllocates(set []int) float64 {
	var t cohortCounts
	t.add(set, 1)
	return testing.AllocsPerRun(100, func() { t.add(set, 1) })
}
