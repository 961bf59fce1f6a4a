package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// private are words of hansa's own for which the field has a term, and that term.
var private = map[string]string{
	`told from`:                       "differs significantly from",
	`not decided`:                     "no significant difference",
	`out of reach`:                    "unattainable",
	`\bheard:`:                        "effective cohort size",
	`met with probability`:            "inclusion probability",
	`nobody came`:                     "empty round",
	`nobody trains`:                   "no local training",
	`\b[Ww]ho comes\b`:                "participation",
	`, by nature\b|, by the server\b`: "environment, server policy",
	`samples are dealt`:               "samples are partitioned",
	`law of cohorts`:                  "cohort distribution",
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
		for word, term := range private {
			if at := regexp.MustCompile(word).FindStringIndex(flat); at != nil {
				t.Errorf("%s: %q; the term is: %s", file,
					flat[max(0, at[0]-30):min(len(flat), at[1]+30)], term)
			}
		}
	}
}
