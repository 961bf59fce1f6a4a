// Package samples holds strategies from the literature, one folder each: a strategy as a
// researcher writes it, its test, and an experiment that compares it with what is built in.
// They are to be read, copied and changed; hansa check examines one, and plugins/README.md is
// the guide.
//
// Tests compare each sample interpreted with the same file compiled, bit for bit, over 20 seeds
// of 8 rounds, on the kernels of the machine; go test ./plugins/samples -full does so on all of
// them.
package samples
