//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly && !windows

package compile

import (
	"errors"
	"os"
)

// hold says that there are no locks.
func hold(*os.File) error { return errors.ErrUnsupported }
