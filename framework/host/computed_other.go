//go:build !unix

package host

import "time"

// computed returns nothing: the system does not say.
func computed() (time.Duration, bool) { return 0, false }
