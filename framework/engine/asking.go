package engine

import (
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// ask returns the loss of the global model on the samples of a client, if that is available.
func (c *Cell) ask(client int) float64 {
	if !c.answers(client) {
		return math.NaN()
	}
	p := c.progress
	if c.ledger.ask(client, c.world.Roster.N, p.Round) {
		sent, bits := int64(0), int64(0)
		if !c.ledger.trained(client, p.Round) {
			sent, bits = c.sendModel(client)
		}
		p.Downloaded += sent
		p.Uploaded += scalar
		c.ledger.add(client, sent, scalar)
		c.ledger.addCoded(client, bits, 0)
	}
	return c.lossOf(client, c.sent())
}

// askAt returns the loss of other parameters on the samples of a client, if that is available.
func (c *Cell) askAt(client int, params fl.Vector) float64 {
	p := c.progress
	if len(params) != len(p.Global) {
		c.unread = fmt.Errorf("selection: asks for the loss of %d parameters, the model has %d",
			len(params), len(p.Global))
		return math.NaN()
	}
	if !c.answers(client) {
		return math.NaN()
	}
	sent := int64(len(params) - c.setup.Personal.floats())
	p.Downloaded += sent
	p.Uploaded += scalar
	c.ledger.add(client, sent, scalar)
	return c.lossOf(client, params)
}

// answers reports whether a client is available.
func (c *Cell) answers(client int) bool {
	_, available := slices.BinarySearch(c.participation.selected.Available, client)
	return available
}

// lossOf returns the loss of parameters, with what stays at a client in place, on its samples.
func (c *Cell) lossOf(client int, params fl.Vector) float64 {
	own := c.world.Population.Client(client)
	if len(c.setup.Personal.Stays) > 0 {
		c.received = append(c.received[:0], params...)
		if err := c.models.Personal(client, c.received); err != nil {
			c.unread = err // of a state that cannot be read: it becomes that of the round
			return math.NaN()
		}
		params = c.received
	}
	return c.snapshot.Worker.Loss(params, &own.Data)
}
