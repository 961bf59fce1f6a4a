//go:build !unix

package store

// nonblocking is for named pipes, which have no names in folders here.
const nonblocking = 0
