// Package compile makes programs of strategies: hansa, with the strategies compiled in, by the Go
// toolchain of the machine.
//
// The source is what the running program carries, so that no checkout is needed and every program
// gives the bits of the one that made it. The toolchain finds in its own cache what it compiled for
// a package of the same folder (with -trimpath in any folder, and then compiles the standard
// library and all dependencies once more). So it sees the source always in one folder of the user's
// cache, as an overlay: the files themselves are unpacked for as long as it runs, strategies beside
// them, and that folder has none, which could be damaged, half written or old. Of a second program
// only the strategies, and what lists them, are compiled.
//
// The other modules come from the module cache, where they are if hansa was built on this machine.
// Programs are kept in the cache of the user, each under the digest of all that is in it, and
// appear whole or not at all.
package compile
