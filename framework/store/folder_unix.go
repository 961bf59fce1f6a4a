//go:build unix

package store

import "syscall"

// nonblocking has the opening of a named pipe not wait for its other end.
const nonblocking = syscall.O_NONBLOCK
