package session

import (
	"strings"
	"testing"
)

// A cluster that is not known gets one clear error, and nothing is asked.
func TestSubmitToAnUnknownCluster(t *testing.T) {
	_, err := new(Job).Submit(t.Context(), nil, nil, &Target{Name: "slurmm"})
	if err == nil || !strings.Contains(err.Error(), `"slurmm"`) ||
		!strings.Contains(err.Error(), `did you mean "slurm"?`) {
		t.Error(err)
	}
}
