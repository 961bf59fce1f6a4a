package engine

import (
	"cmp"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// ArraySent is the name of the array that Options.Keep gets from the engine: see there.
const ArraySent = "sent"

// A ledger counts what was sent in one round, by client: all that a client could read, all that the
// server was sent, and nothing else.
type ledger struct {
	keeps bool  // rows are wanted
	rows  []row // in the order in which things were sent
	asked []int // by client: the last round, from 1, in which it was asked for its loss
	tried []int // the same for the norm of its update, for which it is sent all of a task
}

// A row is what was sent to a client, and by it, in floats, and in bits where it was compressed.
type row struct {
	client             int
	down, up           int64
	codedDown, codedUp int64 // bits, besides
}

// begin opens the ledger of a round.
func (l *ledger) begin() { l.rows = l.rows[:0] }

// add notes what was sent to a client and by it.
func (l *ledger) add(client int, down, up int64) {
	if l.keeps {
		l.rows = append(l.rows, row{client: client, down: down, up: up})
	}
}

// addCoded notes how many bits were sent to a client and by it.
func (l *ledger) addCoded(client int, down, up int64) {
	if l.keeps && down+up > 0 {
		l.rows = append(l.rows, row{client: client, codedDown: down, codedUp: up})
	}
}

// ask notes that one of n clients is asked for its loss, and reports whether it is the first time
// in round t.
func (l *ledger) ask(client, n, t int) bool {
	if l.asked == nil {
		l.asked = make([]int, n)
	}
	first := l.asked[client] != t+1
	l.asked[client] = t + 1
	return first
}

// try notes that one of n clients trains in round t to be asked for a norm, and reports whether it
// is the first time in that round.
func (l *ledger) try(client, n, t int) bool {
	if l.tried == nil {
		l.tried = make([]int, n)
	}
	first := l.tried[client] != t+1
	l.tried[client] = t + 1
	return first
}

// trained reports whether a client has all that it is sent in round t, since it was asked for the
// norm of its update.
func (l *ledger) trained(client, t int) bool { return l.tried != nil && l.tried[client] == t+1 }

// knows reports whether a client has the model of round t, since it was asked for its loss.
func (l *ledger) knows(client, t int) bool { return l.asked != nil && l.asked[client] == t+1 }

// matrix returns a row for each client, ascending: its number, the bytes that were sent to it, and
// those that it sent.
func (l *ledger) matrix() fl.Matrix {
	slices.SortStableFunc(l.rows, func(a, b row) int { return cmp.Compare(a.client, b.client) })
	var m fl.Matrix
	for k, r := range l.rows {
		if k == 0 || r.client != l.rows[k-1].client {
			m.Data = append(m.Data, float64(r.client), 0, 0)
		}
		last := m.Data[len(m.Data)-3:]
		last[1] += float64(fl.BytesPerNumber*r.down) + float64(r.codedDown)/8
		last[2] += float64(fl.BytesPerNumber*r.up) + float64(r.codedUp)/8
	}
	m.Rows, m.Cols = len(m.Data)/3, 3
	return m
}

// sendDown counts what a cohort is sent in this round: to each client exactly the model that its
// task holds, or what it lacks of that, the broadcast, and its mail. A client that was
// asked for its loss has the model already, and in a first round a client that starts from
// parameters of its own.
//
// One that was asked for the norm of its update has all of it.
func (c *Cell) sendDown(cohort []int) { c.send(cohort, false) }

// sendQuery counts what clients are sent to be asked for the norms of their updates, and their
// answers: once a round.
func (c *Cell) sendQuery(clients []int) { c.send(clients, true) }

// send counts what clients are sent to train. A query also has an answer.
func (c *Cell) send(clients []int, query bool) {
	p, l := c.progress, &c.ledger
	shared := int64(p.Broadcast.Floats())
	models := !c.setup.NoModel && (p.Round > 0 || !c.setup.Apart)
	for _, i := range clients {
		if query && !l.try(i, c.world.Roster.N, p.Round) || !query && l.trained(i, p.Round) {
			continue
		}
		down, up, bits := shared, int64(0), int64(0)
		if query {
			up = scalar
		}
		if models && !l.knows(i, p.Round) {
			var floats int64
			floats, bits = c.sendModel(i)
			down += floats
		}
		down += int64(c.mail(i).Floats())
		p.Downloaded += down
		p.Uploaded += up
		l.add(i, down, up)
		l.addCoded(i, bits, 0)
	}
}

// mail returns what a client is sent in this round for itself.
func (c *Cell) mail(client int) fl.Tensors {
	if a := c.participation.asynchronous; a != nil && a.mailed {
		return a.mail(c.progress.Round, client)
	}
	return c.progress.Mail.of(client)
}

// sendUp counts what the clients of a cohort sent, and notes their remarks.
func (c *Cell) sendUp(cohort []int, got *trained) {
	p := c.progress
	for k, floats := range got.floats {
		p.Uploaded += int64(floats)
		c.ledger.add(cohort[k], 0, int64(floats))
		if bits := got.coded[k]; bits != uncoded {
			p.Coded += bits
			c.ledger.addCoded(cohort[k], 0, bits)
		}
		for _, remark := range got.remarks[k] {
			p.Notes.Add(remark)
		}
	}
	c.tell(cohort, got)
}
