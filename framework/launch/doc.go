// Package launch runs jobs in worker processes, one after another over a pipe, so that a job
// that recurses without end, allocates without end or hangs costs that job and nothing else.
//
// A Worker is the caller's end: it starts a process when the first job comes, and another one
// when that has died. Serve is the other end. What a job and its answer are is the business of
// the two programs, usually one and the same; here they are bytes.
//
// A Cluster is the same on other machines: an Array of tasks is submitted, asked for by its name,
// requeued and cancelled. A cluster says where a task is; what is done, only results say. Package
// clusters lists them.
package launch
