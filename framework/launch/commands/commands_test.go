package commands

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/launch"
)

// How known engines are asked for an array.
func TestArrayEngines(t *testing.T) {
	for name, want := range map[string]string{
		"PBS_ARRAY_INDEX": "qsub -J 0-9 THIS", "SGE_TASK_ID": "qsub -t 1-10 THIS",
		"LSB_JOBINDEX": "bsub -J 'hansa[1-10]' < THIS", "PARALLEL_SEQ": "seq 10 | parallel -n0 ./THIS",
		"AWS_BATCH_JOB_ARRAY_INDEX": "submit-job --array-properties size=10",
	} {
		x := &Index{Variable: name, First: -1}
		e := x.engine()
		text := Script(&launch.Export{Program: "/p", Run: "/r", Submission: "s", Tasks: 10, CPUs: 3}, x)
		if !strings.Contains(text, "# "+e.Name+": "+want+"\n") ||
			!strings.Contains(text, fmt.Sprintf("--index-env %s --first %d\n", name, e.First)) ||
			!strings.Contains(text, "export GOMAXPROCS=3 ") {
			t.Errorf("%s: want %q in\n%s", name, want, text)
		}
	}
}
