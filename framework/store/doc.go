// Package store keeps runs on disk: plain files, no database, nothing that a copy or a
// crash can tear.
//
//	plan.json              what the run consists of: cells, report, references
//	results/ab/<id>.json   what a cell produced; the same bytes wherever it ran
//	attempts/ab/<id>.json  the rest: when, how long, where, by which build
//	failures/ab/<id>.json  why a cell has no result
//	checkpoints/ab/        how far cells at work are, until they are done: <id>.ckpt, and the one
//	                       before it, <id>.previous.ckpt
//	arrays/<id>/*.npy      what components recorded for figures, where that was asked for
//	busy/                  processes at work, <host>-<process>.json
//	tune/                  the trials of [tune]: a run of their own, with all of this
//	quarantine/            files that did not verify, <id>.<digest>.json, and results that differ
//	                       from the ones that are stored, <id>.conflict.<digest>.json
//
// A cell is done if and only if its result file verifies: it carries the checksum of its
// content and the id of its cell. Every file is written beside its place, flushed to disk
// and then renamed, so a reader finds the old one, the new one or none.
//
// Several processes may work on one run, of several machines on a file system that they share.
// There are no locks: the worst that can happen is that a cell is run twice, which gives the same
// result, or else is found to. A result replaces nothing; a file that is being written has a name
// of its own, which names its process; and notes of processes at work are advice. What a dead
// process left is removed by Tidy on its own machine, where its death is certain, and by gc on
// others. No clock decides anything there, except for the day that gc waits.
//
// A checkpoint is believed only if its checksum is that of its content and a program whose numbers
// are the same to the last bit wrote it: its second and third line say which cell it is of, and
// which program and processor made it. Without it the one before it does, or the cell begins anew;
// no result depends on it.
//
// A run may come from anywhere. Its folder is opened as an os.Root, and what hansa reads, writes,
// moves or removes lies in it: a link in a run is refused by its name, even one that leads to
// another place in the run, and so is what is no regular file. Ids of cells, digests and names of
// submissions become names of files only in the form that they have.
//
// Records — the plan, attempts, failures, submissions — carry a checksum, too, and say of which
// cell they are. The ids of a plan are those that its cells have. Records that were stored before
// they had checksums are read. A result is held to its cell: its seed, its rounds and its series
// are those that the cell asks for, so that nothing that is made of results has to look again.
//
// A Shelf is no part of a run: it keeps what takes long to make for all of them, and nothing is
// lost with it.
package store
