// Package adversary holds what faulty clients can do. Data attacks change what they train on, and
// model attacks what they send; every one says what it knows, and is shown no more.
//
// Updates are differences θₖ − θᵗ⁻¹ here, as servers of federated learning see them; papers state
// model attacks on gradients, which point the other way.
package adversary

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
)

// optimises are the traits of an adversary that knows the rule where its factor is optimal, and
// else the updates of the cohort.
var optimises = fl.AdversaryTraits{Knows: fl.KnowsCohort,
	Tries: func(params map[string]any) bool { return params["optimal"] == true }}

// needsClasses refuses regression.
func needsClasses(s fl.Setting) error {
	if s.Shape.Classes == 0 {
		return errors.New("needs classes; these data have a regression target")
	}
	return nil
}
