package session

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/launch/clusters"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/framework/store"
)

// recordedVariables lists the variables of the environment that attempts keep: times and bits can
// depend on these, or they say which job of a cluster it was. All others may hold secrets.
func recordedVariables() []string {
	return append([]string{"GOMAXPROCS", "GOMEMLIMIT", "GODEBUG", "HANSA_ISA"},
		clusters.Variables()...)
}

// machine says what stays as it is while this process lives: where it runs, and which it is. What
// the system does not tell is empty.
var machine = sync.OnceValue(func() store.Environment {
	var e store.Environment
	e.Host, _ = os.Hostname()
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	e.Kernel = string(bytes.TrimSpace(release))
	e.CPU, e.Flags, _ = host.Processor()
	e.Program, _ = host.Digest()
	e.Source, _ = carried()
	e.Numerics, _ = numerics()
	return e
})

// environment says where a cell runs now.
func environment(strategies []store.Strategy) *store.Environment {
	e := machine()
	e.Processors, e.Strategies = runtime.GOMAXPROCS(0), strategies
	e.Variables = map[string]string{}
	for _, name := range recordedVariables() {
		if value, there := os.LookupEnv(name); there {
			e.Variables[name] = value
		}
	}
	return &e
}

// spent returns what this process took so far, or nil where the system does not tell. Linux counts
// in hundredths of a second, whatever its kernel does.
func spent() *store.Usage {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return nil
	}
	const user, system, second = 11, 12, 100
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) <= system {
		return nil
	}
	u, errU := strconv.ParseFloat(fields[user], 64)
	s, errS := strconv.ParseFloat(fields[system], 64)
	if errU != nil || errS != nil {
		return nil
	}
	status, _ := os.ReadFile("/proc/self/status")
	_, most, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes int64
	_, _ = fmt.Sscan(most, &kilobytes) // or it is not known
	return &store.Usage{User: u / second, System: s / second, Memory: kilobytes << 10}
}

// since returns what this process took after it had taken what before says.
func since(before *store.Usage, checkpoints int) *store.Usage {
	now := spent()
	if now == nil || before == nil {
		return nil
	}
	now.User, now.System = now.User-before.User, now.System-before.System
	now.Checkpoints = checkpoints
	return now
}

// Made is the attempt of a training run that would be made now, without its times: which program it
// would be made by, and by which arithmetic.
func Made() *store.Attempt {
	return &store.Attempt{Build: Build(), Environment: environment(nil)}
}

// Build says which program this is.
func Build() store.Build {
	b := store.Build{Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	b.Compiled = slices.Sorted(maps.Keys(toolbox.Compiled()))
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}
