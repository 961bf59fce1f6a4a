package launch_test

import (
	"testing"

	"github.com/hansa-fl/hansa/framework/launch"
)

// setMemory changes the memory of a site that is then to be one.
func setMemory(s *launch.Site, text string) error {
	if err := s.SetMemory(text); err != nil {
		return err
	}
	return s.Check()
}

func TestMemoryOfASubmission(t *testing.T) {
	for _, c := range []struct{ was, flag, want string }{
		{"4G", "", "4G"}, {"4G", "8G", "8G"}, {"4G", "x2", "8192M"}, {"1500M", "x2", "3072000K"},
		{"500", "x1.5", "768000K"}, {"1T", "x2", "2048G"}, {"512K", "x2", "1024K"},
	} {
		s := &launch.Site{Memory: c.was}
		if err := setMemory(s, c.flag); err != nil || s.Memory != c.want {
			t.Errorf("%s of %s: %s, %v, want %s", c.flag, c.was, s.Memory, err, c.want)
		}
	}
	for _, c := range []struct{ was, flag string }{{"", "x2"}, {"4G", "xx"}, {"4G", "x-1"}, {"4G", "much"}} {
		if err := setMemory(&launch.Site{Memory: c.was}, c.flag); err == nil {
			t.Errorf("%s of %q is accepted", c.flag, c.was)
		}
	}
}
