//go:build !amd64

package kernel

// best returns plain Go: there is assembly for amd64 only.
func best() path { return generic }
