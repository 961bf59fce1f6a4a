package engine

import (
	"fmt"
	"strings"
)

// diverged says that a client returned a model with NaN or Inf, and the usual reason.
func diverged(client int) error {
	return fmt.Errorf("client %d: the update has "+notFinite+": local training diverged; "+
		"try a lower lr", client)
}

// notFinite is in the message of an error where a cell diverged.
const notFinite = "NaN or Inf"

// Diverged reports whether an error of a cell, by its message, says that its parameters are not
// finite any more. Errors of worker processes are no more than their messages.
func Diverged(message string) bool { return strings.Contains(message, notFinite) }
