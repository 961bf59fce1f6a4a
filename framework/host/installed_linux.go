package host

import "golang.org/x/sys/unix"

// installed returns how many bytes of memory the machine has, 0 when it does not say.
func installed() uint64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return info.Totalram * uint64(info.Unit)
}
