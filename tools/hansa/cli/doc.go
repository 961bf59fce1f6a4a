// Package cli is what the commands of hansa share of a command line: how arguments and values of
// flags are checked (Want, OneOf, Subcommand), help and manual pages (SetHelp, WriteManual), what
// a shell completes (First, Runs, Sources, CompleteFlag), the command line that does the same again
// (Again), the flags that several commands take (OverrideFlags, LimitFlags, DataFlag), and what is
// printed of a component and its parameters (ParameterRow, Example).
//
// Functions that add flags to a command bind them to values that the command owns.
// Errors are one line that names the flag or the argument, what it is and what is allowed, with
// what was probably meant. No function prints anything.
package cli
