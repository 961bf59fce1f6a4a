package launch

import (
	"bytes"
	"encoding/gob"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// Rounds are told at most ten times a second; what a job remarks is told at once.
func TestRoundsAreToldTenTimesASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent bytes.Buffer
		s := &Service{out: gob.NewEncoder(&sent)}
		tell := s.teller()
		for round := 1; round <= 100; round++ {
			tell(Report{Rounds: round})
			if round == 42 {
				tell(Report{Rounds: round, Remark: "saved"})
			}
			time.Sleep(10 * time.Millisecond)
		}
		var told []int
		for d := gob.NewDecoder(&sent); sent.Len() > 0; {
			var m message
			if err := d.Decode(&m); err != nil {
				t.Fatal(err)
			}
			told = append(told, m.Report.Rounds)
		}
		want := []int{1, 11, 21, 31, 41, 42, 51, 61, 71, 81, 91}
		if !slices.Equal(told, want) {
			t.Errorf("told of rounds %v, want %v", told, want)
		}
	})
}
