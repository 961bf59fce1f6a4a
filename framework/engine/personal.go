package engine

import (
	"cmp"
	"fmt"
	"maps"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A Personal says what a local rule keeps of every client's model; see fl.LocalTraits.
type Personal struct {
	Stays []fl.Block // of the model, ascending: neither sent nor aggregated
	Model string     // vector of a client's state with which it predicts; empty: none
	Tunes bool       // clients predict with fine-tuned parameters
}

// Keeps reports whether clients have a model of their own, or a part of one.
func (p *Personal) Keeps() bool { return len(p.Stays) > 0 || p.Model != "" }

// floats returns how many parameters stay.
func (p *Personal) floats() int { return fl.Layout{Blocks: p.Stays}.Len() }

// sent returns how many floats of an update are sent: neither what stays, nor a model that is
// returned.
func (p *Personal) sent(u *fl.Update) int {
	if u.Returned {
		return u.Floats()
	}
	return u.Floats() - p.floats()
}

// staying is the name of what stays in the state of a client. No rule can ask for it by mistake.
const staying = "<stays>"

// put puts parameters that stay, one block after another, into their places.
func (p *Personal) put(params, kept fl.Vector) {
	at := 0
	for k := range p.Stays {
		at += copy(p.Stays[k].Of(params).Data, kept[at:])
	}
}

// take is the reverse of put.
func (p *Personal) take(kept, params fl.Vector) {
	at := 0
	for k := range p.Stays {
		at += copy(kept[at:], p.Stays[k].Of(params).Data)
	}
}

// restore gives the task of a client what stayed with it when it trained before.
func (w *trainer) restore(m *worker) {
	p := &w.setup.Personal
	if len(p.Stays) == 0 {
		return
	}
	if kept, _, ok := m.state.before(staying); ok && len(kept.Data) == p.floats() {
		p.put(m.task.Params, kept.Data)
	}
}

// retain keeps what stays with a client, and leaves of it in the update what the client was sent:
// the server learns nothing of it.
func (w *trainer) retain(m *worker, u *fl.Update) {
	p := &w.setup.Personal
	if len(p.Stays) == 0 {
		return
	}
	_, next := m.state.Renew(staying, p.floats())
	p.take(next, u.Params)
	for k := range p.Stays {
		b := &p.Stays[k]
		copy(b.Of(u.Params).Data, b.Of(m.task.Global).Data)
	}
}

// adopt makes next θᵗ but for what stays with clients.
func (p *Personal) adopt(global, next fl.Vector) {
	at := 0
	for _, b := range p.Stays {
		copy(global[at:b.Offset], next[at:b.Offset])
		at = b.Offset + b.Rows*b.Cols
	}
	copy(global[at:], next[at:])
}

// clientModels are the models of the clients of a cell, for its measures.
type clientModels struct {
	cell   *Cell
	tuner  *worker // nil until clients tune
	stream fl.Stream
	client fl.Client
}

var _ fl.ClientModels = (*clientModels)(nil)

// Deploys implements fl.ClientModels.
func (c *clientModels) Deploys() fl.Whose {
	switch p := &c.cell.setup.Personal; {
	case p.Tunes:
		return fl.FineTunedModel
	case p.Keeps():
		return fl.PersonalModel
	}
	return fl.GlobalModel
}

// Personal implements fl.ClientModels.
func (c *clientModels) Personal(client int, params fl.Vector) error {
	p := &c.cell.setup.Personal
	if !p.Keeps() {
		return nil
	}
	store, err := c.cell.progress.Clients.peek(client)
	if err != nil || store == nil {
		return err
	}
	if kept, _, ok := store.Holds(staying); ok && len(kept.Data) == p.floats() {
		p.put(params, kept.Data)
	}
	own, single, ok := store.Holds(p.Model)
	switch {
	case p.Model == "" || !ok:
	case len(own.Data) == len(params):
		copy(params, own.Data)
	case len(single) == len(params):
		for k, x := range single {
			params[k] = float64(x)
		}
	default:
		return fmt.Errorf("client %d: its personal model %q has %d parameters, the model has %d",
			client, p.Model, cmp.Or(len(own.Data), len(single)), len(params))
	}
	return nil
}

// FineTune implements fl.ClientModels: by one run of the local rule, whose randomness is that of
// the round and the client, and nothing of which is kept.
func (c *clientModels) FineTune(client int, params fl.Vector) (err error) {
	defer guardClient(&err, client)
	cell := c.cell
	if c.tuner == nil {
		c.tuner = &worker{rng: fl.NewReseedableRand()}
		c.stream = fl.NewStream(cell.setup.Seed, "fine-tuning")
	}
	store, err := cell.progress.Clients.peek(client)
	if err != nil {
		return err
	}
	if store == nil {
		store = fl.NewStore()
	}
	t := &c.tuner.task
	t.Recycle()
	c.client = cell.world.Population.Client(client)
	t.T, t.Client, t.FineTunes = cell.progress.Round, &c.client, true
	t.Model, t.Worker = cell.snapshot.Model, cell.snapshot.Worker
	t.Global, t.Params = cell.snapshot.Params, params
	t.Broadcast, t.Mail = maps.Clone(cell.progress.Broadcast), cell.progress.Mail.of(client)
	t.State, t.RNG = store.Clone(), c.tuner.rng.Open(c.stream.At(t.T, client))
	u, err := cell.setup.Local.Run(t)
	if err != nil {
		return fmt.Errorf("client %d: %w", client, err)
	}
	if len(u.Params) != len(params) {
		return fmt.Errorf("client %d: fine-tuning made %d parameters, the model has %d", client,
			len(u.Params), len(params))
	}
	copy(params, u.Params)
	return nil
}
