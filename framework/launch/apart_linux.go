package launch

import (
	"os/exec"
	"syscall"
)

// apart puts a process into a group of its own, so that Ctrl-C at the terminal does not reach
// it, and lets it die with its parent.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// backstop makes the system refuse memory far beyond the limit: one huge allocation would be
// there before the watch sees it. It leaves room for what a heap below the limit may take of the
// system: garbage, stacks, and several times as much under the race detector.
func backstop(memory uint64) {
	limit := 4*memory + 4<<30
	// Where the system does not grant it, there is the watch.
	_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: limit, Max: limit})
}
