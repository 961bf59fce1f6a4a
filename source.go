// Package hansa carries the source of hansa in every program that links it, so that strategies
// can be compiled where there is no checkout: see package compile.
package hansa

import (
	"embed"
	"errors"
	"io/fs"
	"strings"
)

// Folders are named one by one, as a pattern with ** does not exist and one of a folder alone takes
// its test data, too. A test compares them with what the go command needs.
//
//go:embed go.mod go.sum source.go
//go:embed framework/*/*.go framework/*/*/*.go framework/kernel/*.s
//go:embed registry/*.go registry/contract/*.go builtin/*.go builtin/*/*.go builtin/verified.txt
//go:embed plugins/*.go plugins/*/*.go plugins/symbols/declared
//go:embed plugins/draft/templates
//go:embed plugins/samples/*/*.go plugins/samples/*/*.toml
//go:embed reports/*.go reports/*/*.go reports/page
//go:embed reports/leaderboard/*.css reports/leaderboard/*.js reports/leaderboard/*.html
//go:embed experiments/leaderboard/*.toml
//go:embed tools/hansa/*.go tools/hansa/cli/*.go tools/hansa/console/*.go
var files embed.FS

// Source returns the files that the command hansa is built of, by their names in the module, with
// their texts. Tests are no part of it.
func Source() (map[string][]byte, error) {
	texts := map[string][]byte{}
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") {
			return err
		}
		texts[path], err = files.ReadFile(path)
		return err
	})
	return texts, err
}

// Boards returns the experiments of leaderboards, by the names of their files, with their texts.
func Boards() (map[string][]byte, error) {
	list, err := files.ReadDir("experiments/leaderboard")
	texts := map[string][]byte{}
	for _, e := range list {
		text, unread := files.ReadFile("experiments/leaderboard/" + e.Name())
		texts[e.Name()], err = text, errors.Join(err, unread)
	}
	return texts, err
}
