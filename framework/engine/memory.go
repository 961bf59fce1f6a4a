package engine

import "math"

// A Memory is how many bytes a cell needs at once, about: what it is for, so that a message can say
// what is too large. What is not known before data are loaded counts nothing.
type Memory struct {
	Data       float64 // rows, as they are made and as clients hold them
	Clients    float64 // what is kept of every client beside its rows
	Models     float64 // parameters, gradients, places in which clients train
	Statistics float64 // that clients send instead of models, of a cohort of all
}

// Total returns the sum.
func (m Memory) Total() float64 { return m.Data + m.Clients + m.Models + m.Statistics }

// Bytes of a number, of a row beside its features, and of a client.
const (
	ofNumber = 8
	ofRow    = 5 * 8
	ofClient = 24 * 8
)

// Estimate returns about how much memory a cell needs that is trained by so many workers.
func Estimate(s *Setup, workers int) Memory {
	var m Memory
	raw := s.Source.Shape()
	rows, columns, clients := float64(raw.Rows), float64(raw.Features), float64(s.Clients)
	// Made, and then ordered by client.
	m.Data = rows * (2*columns*s.bytesPerNumber(raw) + ofRow)
	now := raw
	for _, stage := range s.Preprocess {
		next, err := stage.Preprocessor.Shape(now)
		if err != nil {
			break // the composer has said so
		}
		now = next
		m.Data += rows * float64(now.Features) * ofNumber
	}
	features := float64(now.Features)
	m.Clients = clients * ofClient
	if s.Model.Facts().Moments && now.Classes == 0 && rows >= clients*features {
		m.Data += clients * features * features * ofNumber
	}
	m.Models = modelBytes(s, max(1, workers))
	if s.Statistics != "" {
		// The largest that is known: a covariance of all features, half of it, and means by class.
		per := features*features/2 + features*float64(max(1, now.Classes))
		m.Statistics = ofNumber * per * (clients + 4)
	}
	return m
}

// modelBytes returns what vectors of parameters need: θ, its mean and start, the places in which
// clients train, which are few where models are added up as they come, and what each worker has
// for a gradient, for an optimizer and for a network's own copies, and for what it compresses.
func modelBytes(s *Setup, workers int) float64 {
	places := float64(s.Clients)
	switch {
	case s.NoModel:
		places = 0
	case s.streams() != nil:
		places = math.Min(places, float64(together+2*workers))
	case s.Guard.Component != nil:
		places *= float64(1 + max(1, s.Guard.Links)) // what each guard can make of them
	}
	each := 4.0
	if s.Compressor.Component != nil {
		each += 3 // what is sent, what arrives, and its code
	}
	own := 4.0
	if s.Download.Component != nil {
		own += 4 // what clients have, and the same for a difference
	}
	return ofNumber * float64(s.Model.Layout().Len()) * (own + places + each*float64(workers))
}
