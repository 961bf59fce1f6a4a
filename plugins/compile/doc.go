// Package compile makes programs of strategies: hansa, with the strategies compiled in, by the Go
// toolchain of the machine.
//
// The source is what the running program carries, so that no checkout is needed and every program
// gives the bits of the one that made it. It is unpacked for as long as the toolchain runs, which
// leaves paths out of what it compiles and so finds in its cache what it compiled before;
// strategies are laid over it. The other modules come from the module cache, where they are if
// hansa was built on this machine. Programs are kept in the cache of the user, each under the
// digest of all that is in it, and appear whole or not at all.
package compile
