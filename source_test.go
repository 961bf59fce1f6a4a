package hansa

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// All that the command is built of is carried, on whatever platform, and is what lies here.
func TestSource(t *testing.T) {
	carried, err := Source()
	if err != nil {
		t.Fatal(err)
	}
	const files = `{{$d := .Dir}}{{with .Module}}{{if .Main}}{{range $.GoFiles}}{{$d}}/{{.}}
{{end}}{{range $.IgnoredGoFiles}}{{$d}}/{{.}}
{{end}}{{range $.SFiles}}{{$d}}/{{.}}
{{end}}{{range $.IgnoredOtherFiles}}{{$d}}/{{.}}
{{end}}{{range $.HFiles}}{{$d}}/{{.}}
{{end}}{{range $.EmbedFiles}}{{$d}}/{{.}}
{{end}}{{end}}{{end}}`
	out, err := exec.Command("go", "list", "-deps", "-f", files, "./tools/hansa").Output()
	if err != nil {
		t.Fatal(err)
	}
	top, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	needed := 0
	for path := range strings.FieldsSeq(string(out)) {
		name, err := filepath.Rel(top, path)
		if err != nil || strings.HasSuffix(name, "_test.go") {
			continue
		}
		needed++
		if text, err := os.ReadFile(path); err != nil || string(text) != string(carried[filepath.ToSlash(name)]) {
			t.Errorf("%s is not carried as it is (%v)", name, err)
		}
	}
	if needed < 300 || carried["go.mod"] == nil || carried["go.sum"] == nil {
		t.Errorf("%d files are needed, and %d carried", needed, len(carried))
	}
	for name := range carried {
		if strings.HasSuffix(name, "_test.go") {
			t.Errorf("%s is carried, which is a test", name)
		}
	}
}
