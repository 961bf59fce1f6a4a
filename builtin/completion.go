package builtin

import (
	"github.com/hansa-fl/hansa/builtin/completion"
	"github.com/hansa-fl/hansa/registry"
)

// completions say which of the clients that are asked finish, and when, in virtual time.
func completions(r *registry.Registry) error {
	return r.Completions.Add(
		completion.Immediate, // at once
		completion.Speeds,    // by steps and bits
		completion.Durations, // as a list says
		completion.Trace,     // as a file says
	)
}
