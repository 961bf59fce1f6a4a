package fl

import "errors"

// Whose says which parameters a client predicts with.
type Whose string

// What a client can predict with.
const (
	GlobalModel    Whose = "global"     // θᵗ
	PersonalModel  Whose = "personal"   // what the local rule keeps of it; see LocalTraits
	FineTunedModel Whose = "fine-tuned" // what its local rule makes of θᵗ
	DeployedModel  Whose = "deployed"   // what the method is about: one of the three
)

// ClientModels are the models that clients have of their own.
type ClientModels interface {
	// Deploys says which of the others the method has clients predict with.
	Deploys() Whose
	// Personal puts into params, which hold θᵗ, what a client keeps of its own. A client that has
	// never trained keeps nothing.
	Personal(client int, params Vector) error
	// FineTune makes of params, which hold θᵗ and what the client keeps of its own, what its local
	// rule makes of them. It changes nothing else.
	FineTune(client int, params Vector) error
	// Alone puts into params what the client trained alone for a Reference: AloneBy says by which.
	Alone(by string, client int, params Vector) error
}

// Personal returns the parameters with which client i predicts where its local rule keeps some: θᵗ
// with what stays at the client in place, or its personal model. A client that has never trained
// predicts with θᵗ. They live until the next call.
func (s *Snapshot) Personal(i int) (Vector, error) { return s.ParamsOf(PersonalModel, i) }

// ParamsOf returns the parameters with which client i predicts. They live until the next call.
func (s *Snapshot) ParamsOf(w Whose, i int) (Vector, error) {
	if w == GlobalModel || w == "" {
		return s.Params, nil
	}
	if s.Own == nil {
		return nil, errors.New("clients have no models of their own here")
	}
	if w == DeployedModel {
		w = s.Own.Deploys()
	}
	s.own = append(s.own[:0], s.Params...)
	err := s.Own.Personal(i, s.own)
	if err == nil && w == FineTunedModel {
		err = s.Own.FineTune(i, s.own)
	}
	return s.own, err
}

// A ClientMeasure names what is measured of every client.
type ClientMeasure struct {
	Whose Whose  // parameters
	Of    string // "loss" or "accuracy"
	Test  bool   // on test samples, not training samples
}

// ByClient returns a measurement of every client, at the parameters with which it predicts. It is
// taken once for each ClientMeasure, lives until the next snapshot, and is read-only.
func (s *Snapshot) ByClient(m ClientMeasure, measure func(i int, params Vector) float64) (
	Vector, error,
) {
	if x, ok := s.measured[m]; ok {
		return x, nil
	}
	x := make(Vector, s.Population.N())
	for i := range x {
		params, err := s.ParamsOf(m.Whose, i)
		if err != nil {
			return nil, err
		}
		x[i] = measure(i, params)
	}
	if s.measured == nil {
		s.measured = map[ClientMeasure]Vector{}
	}
	s.measured[m] = x
	return x, nil
}
