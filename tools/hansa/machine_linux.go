package main

import (
	"bufio"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// installed returns how many bytes of memory the machine has, 0 when it does not say.
func installed() uint64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return info.Totalram * uint64(info.Unit)
}

// room returns how many bytes a folder has room for; ok is false when it does not say.
func room(dir string) (bytes uint64, ok bool) {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), true
}

// processor returns what the machine's processor is called, and whether it multiplies and adds in
// one step; nothing when it does not say. What is not x86 and runs Linux does.
func processor() (model string, fused bool) {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "", false
	}
	defer f.Close()
	fused = true
	for lines := bufio.NewScanner(f); lines.Scan() && lines.Text() != ""; {
		key, value, _ := strings.Cut(lines.Text(), ":")
		switch strings.TrimSpace(key) {
		case "model name":
			model = strings.TrimSpace(value)
		case "flags":
			fused = strings.Contains(value+" ", " fma ")
		}
	}
	return model, fused
}
