package host

import "golang.org/x/sys/unix"

// Installed returns how many bytes of memory the machine has, 0 when it does not say.
func Installed() uint64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return info.Totalram * uint64(info.Unit)
}

// Room returns how many bytes a folder has room for; ok is false when it does not say.
func Room(dir string) (bytes uint64, ok bool) {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), true
}
