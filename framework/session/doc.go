// Package session is hansa as a library: it reads an experiment, runs what is missing of it, here
// or on a cluster, and gathers what there is.
//
//	read    Session.Load               an experiment file, with its strategies examined
//	run     Session.RunExperiment      what is missing in a folder; or step by step:
//	        Session.NewRun             the folder of a run, which goes on where it was
//	        Job.Preflight, Conduct     cells here; Submit and Export for other machines
//	tune    Session.OpenTuning         the trials of [tune], and what they choose
//	look    Session.RunState           what became of each cell
//	gather  Session.Gather             results as input of package infer, tables and figures
//	go on   Session.Open, Planned      a run as it was planned, whatever became of its files
//
// A session says what happens to a Listener; without one it is silent. Errors that are no mistake
// of the user's are of package fault. Package settings lists what decides the numbers of cells,
// view makes figures and pages of a run, exam examines strategies, toolbox holds what can be named.
package session
