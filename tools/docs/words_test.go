package main

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// private are words of hansa's own for which the field has a term, and that term.
var private = []struct {
	word *regexp.Regexp
	term string
}{
	{regexp.MustCompile(`told from`), "differs significantly from"},
	{regexp.MustCompile(`not decided`), "no significant difference"},
	{regexp.MustCompile(`out of reach`), "unattainable"},
	{regexp.MustCompile(`\bheard:`), "effective cohort size"},
	{regexp.MustCompile(`met with probability`), "inclusion probability"},
	{regexp.MustCompile(`nobody came`), "empty round"},
	{regexp.MustCompile(`nobody trains`), "no local training"},
	{regexp.MustCompile(`\b[Ww]ho comes\b`), "participation"},
	{regexp.MustCompile(`, by nature\b|, by the server\b`), "environment, server policy"},
	{regexp.MustCompile(`samples are dealt`), "samples are partitioned"},
	{regexp.MustCompile(`law of cohorts`), "cohort distribution"},
	{regexp.MustCompile(`(?i)[^"\w]promise`), "requirement, guarantee"}, // but the key of old plans
}

// people are words for persons, in sentences whose subject is a thing: a client, a process, a file.
var people = regexp.MustCompile(
	`(?i)\b(who|whoever|whom|somebody|nobody|anybody|everybody|someone|anyone)\b`)

// title is that of a paper, which has such a word.
const title = "Who Trains Matters"

// Comments and strings of Go files, tests too, name things, and have the terms of the field.
func TestNoPrivateWordsInCode(t *testing.T) {
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != top && (name == "testdata" || name == "runs" || name[0] == '.') {
			return filepath.SkipDir
		}
		file, err := filepath.Rel(top, path)
		if err != nil || filepath.Ext(name) != ".go" {
			return err
		}
		if filepath.ToSlash(file) == "tools/docs/words_test.go" { // which lists the words
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		checkWords(t, file, source)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkWords reports words for people and private words in comments and strings of a Go file.
func checkWords(t *testing.T, file string, source []byte) {
	for _, text := range texts(source) {
		text = strings.ReplaceAll(text, title, "")
		if word := people.FindString(text); word != "" {
			t.Errorf("%s: %q in %q; name the thing", file, word, text)
		}
		for _, p := range private {
			if p.word.MatchString(text) {
				t.Errorf("%s: %q; the term is: %s", file, text, p.term)
			}
		}
	}
}

// texts returns the strings and the comments of a Go file, those of adjoining lines as one text.
func texts(source []byte) []string {
	var s scanner.Scanner
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(source))
	s.Init(file, source, nil, scanner.ScanComments)
	var found []string
	last := -1 // the line of the comment before
	for {
		pos, kind, text := s.Scan()
		line := file.Line(pos)
		switch {
		case kind == token.EOF:
			return found
		case kind == token.COMMENT && last == line-1:
			found[len(found)-1] += strings.TrimPrefix(text, "//")
			last = line
		case kind == token.COMMENT:
			found, last = append(found, text), line
		case kind == token.STRING:
			found, last = append(found, text), -1
		}
	}
}

// What users read has the terms of the field: READMEs, what commands print, help, tables.
func TestNoPrivateWords(t *testing.T) {
	files := slices.Clone(readmes)
	for _, pattern := range []string{"tools/hansa/testdata/cases/*/std*", "tools/hansa/testdata/broken/*.err",
		"reports/render/testdata/*", "experiments/*.toml", "experiments/*/*.toml", ".github/*.md"} {
		found, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		for _, file := range found {
			rel, err := filepath.Rel(top, file)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, rel)
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(top, file))
		if err != nil {
			t.Fatal(err)
		}
		flat := strings.Join(strings.Fields(string(text)), " ") // as lines may break in a phrase
		for _, p := range private {
			if at := p.word.FindStringIndex(flat); at != nil {
				t.Errorf("%s: %q; the term is: %s", file,
					flat[max(0, at[0]-30):min(len(flat), at[1]+30)], p.term)
			}
		}
	}
}
