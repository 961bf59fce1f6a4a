package engine

import "github.com/hansa-fl/hansa/framework/fl"

// A RoundRecord is one round as its aggregator saw it, and what came of it. Its memory is that of
// the cell: nothing of it may be changed, and it is good only until Record returns.
type RoundRecord struct {
	Round   int        // from 1
	Seen    *fl.Round  // θᵗ⁻¹ and the updates, as the aggregator got them
	Outcome fl.Outcome // as it was returned; of a weighted sum with its weights
	Server  *fl.Store  // what the aggregator keeps after the round
	Shared  *fl.Store  // what it and the selection both keep

	clients *clientStates
}

// Client returns what a client keeps after the round; nil: nothing.
func (o *RoundRecord) Client(id int) (*fl.Store, error) { return o.clients.peek(id) }

// record is the round that was played, before its outcome takes the place of the global model.
func (c *Cell) record(out fl.Outcome) *RoundRecord {
	p := c.progress
	return &RoundRecord{Round: p.Round + 1, Seen: &c.round, Outcome: out, Server: p.Aggregator,
		Shared: p.Shared, clients: p.Clients}
}
