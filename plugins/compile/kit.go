package compile

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/plugins"
)

// A Kit is what programs are made with.
type Kit struct {
	Source  *Tree
	Cache   string // folder, which is made
	Now     time.Time
	Offline bool // modules that are not in the module cache are not downloaded
}

// ErrNoToolchain says that strategies cannot be compiled on this machine.
var ErrNoToolchain = errors.New("there is no Go toolchain: no go is found in the path")

// Program returns a program with strategies compiled in: that of the cache, or a new one. What the
// toolchain refuses at a line of a strategy names that as its author does.
func (k *Kit) Program(ctx context.Context, list []*plugins.Strategy) (string, error) {
	if path, ok := k.Made(list); ok {
		return path, nil
	}
	if _, err := exec.LookPath("go"); err != nil {
		return "", ErrNoToolchain
	}
	if err := k.suits(ctx); err != nil {
		return "", err
	}
	path := k.place(list)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return "", err
	}
	release, err := k.alone(ctx, path)
	if err != nil {
		return "", err
	}
	defer release()
	if _, ok := k.Made(list); ok { // by a process that was waited for
		return path, nil
	}
	return path, k.make(ctx, path, list)
}

// make makes a program at its place.
func (k *Kit) make(ctx context.Context, path string, list []*plugins.Strategy) error {
	dir, err := os.MkdirTemp(filepath.Dir(path), "new-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left of it does no harm
	made := filepath.Join(dir, filepath.Base(path))
	if err := k.build(ctx, dir, made, list); err != nil {
		return err
	}
	k.forget()
	return whole(made, path)
}

// Made returns the program of the cache with strategies compiled in, if it is there.
func (k *Kit) Made(list []*plugins.Strategy) (path string, ok bool) {
	path = k.place(list)
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	k.touch(path)
	return path, true
}

// place returns where a program lies in the cache: under the digest of all that makes it.
func (k *Kit) place(list []*plugins.Strategy) string {
	h := sha256.New()
	fmt.Fprintln(h, k.Source.Digest, runtime.Version(), settings())
	for _, s := range inOrder(list) {
		fmt.Fprintln(h, s.Digest())
	}
	name := hex.EncodeToString(h.Sum(nil))
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(k.Cache, "programs", name)
}

// inOrder returns strategies by their code, each once: neither how they are called nor in which
// order makes another program.
func inOrder(list []*plugins.Strategy) []*plugins.Strategy {
	list = slices.SortedFunc(slices.Values(list), func(a, b *plugins.Strategy) int {
		return strings.Compare(a.Hash, b.Hash)
	})
	return slices.CompactFunc(list, func(a, b *plugins.Strategy) bool { return a.Hash == b.Hash })
}

// suits refuses a toolchain that is not the one that this program was built by: the compiler of
// another version may round otherwise.
func (k *Kit) suits(ctx context.Context) error {
	said, err := k.run(ctx, k.Cache, "env", "GOVERSION")
	have, want := string(bytes.TrimSpace(said)), version()
	switch {
	case err != nil:
		return fmt.Errorf("the Go toolchain %s, by which hansa was built, is not here: %w",
			want, err)
	case have != want:
		return fmt.Errorf("the Go toolchain is %s, and hansa was built by %s", have, want)
	}
	return nil
}

// version returns the Go version that this program was built by, without experiments.
func version() string {
	first, _, _ := strings.Cut(runtime.Version(), " ")
	return first
}

// unfused has the compiler round after each operation, as the interpreter does, on processors that
// could multiply and add at once.
const unfused = "-d=fmahash=n"

// build has the toolchain build a program. What it reads is written into dir.
func (k *Kit) build(ctx context.Context, dir, out string, list []*plugins.Strategy) error {
	top, err := k.folder()
	if err != nil {
		return err
	}
	o := &overlay{top: top, dir: dir, replace: map[string]string{}}
	shown, err := o.write(k.Source, inOrder(list))
	if err != nil {
		return err
	}
	flags := unfused
	if fuses() { // what it takes over from other packages is to be as it is there
		flags += " -l"
	}
	args := []string{"build", "-mod=readonly", "-buildvcs=false", "-ldflags=-s -w",
		"-gcflags=" + modulePath + "/...=-dwarf=false",
		"-gcflags=" + modulePath + "/" + plugins.CompiledFolder + "/...=" + flags,
		"-overlay", shown, "-o", out}
	said, err := k.run(ctx, top, append(append(args, tags()...), "./tools/hansa")...)
	if err == nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	return refused(list, said, err)
}

// run runs the go command and returns what it says.
func (k *Kit) run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), k.environment()...)
	said, err := cmd.CombinedOutput()
	if err != nil && len(said) > 0 {
		err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(said))
	}
	return said, err
}

// environment is that of the toolchain: whatever the user's is, the program is for this machine,
// and built as this one was.
func (k *Kit) environment() []string {
	env := []string{"GO111MODULE=on", "GOWORK=off", "GOFLAGS=", "GOOS=" + runtime.GOOS,
		"GOARCH=" + runtime.GOARCH}
	if v := version(); strings.HasPrefix(v, "go1.") {
		env = append(env, "GOTOOLCHAIN="+v)
	}
	for _, s := range settings() {
		env = append(env, s.Key+"="+s.Value)
	}
	if k.Offline {
		env = append(env, "GOPROXY=off", "GONOPROXY=none", "GOSUMDB=off")
	}
	return env
}

// settings returns the variables of the toolchain with which this program was built, and on which
// its bits may depend.
func settings() (list []debug.BuildSetting) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	for _, s := range info.Settings {
		architecture := "GO" + strings.ToUpper(strings.TrimSuffix(runtime.GOARCH, "le"))
		if s.Key == "CGO_ENABLED" || s.Key == "GOEXPERIMENT" || s.Key == architecture {
			list = append(list, s)
		}
	}
	return list
}

// Architecture says which processors this program was built for, in the words of the toolchain.
func Architecture() string {
	var list []string
	for _, s := range settings() {
		list = append(list, s.Key+"="+s.Value)
	}
	return strings.Join(list, ",")
}

// tags returns the flag with the build tags of this program.
func tags() (flags []string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	for _, s := range info.Settings {
		if s.Key == "-tags" {
			flags = append(flags, s.Key+"="+s.Value)
		}
	}
	return flags
}

// fuses reports whether the compiler may multiply and add at once.
func fuses() bool {
	for _, s := range settings() {
		if s.Key == "GOAMD64" {
			return s.Value > "v2"
		}
	}
	return runtime.GOARCH != "amd64" && runtime.GOARCH != "386"
}
