package session_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/reports/table"
)

// An experiment is read, run in a folder and gathered into a table.
func Example() {
	check := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	ctx, s := context.Background(), new(session.Session)
	x, err := s.Load(ctx, "../../experiments/quickstart.toml",
		&session.Overrides{Seeds: "2", Set: []string{"rounds=20", "clients=10"}})
	check(err)
	dir, err := os.MkdirTemp("", "run-")
	check(err)
	defer os.RemoveAll(dir)
	job, err := s.RunExperiment(ctx, x, dir, session.Options{})
	check(err)
	tables, err := table.Build(*s.Gather(job.Run, job.Plan, nil))
	check(err)
	for _, row := range tables[0].Rows {
		fmt.Printf("%s: %d seeds\n", row.Method, len(row.Cells[0].Values))
	}
	// Output:
	// FedAvg (full): 2 seeds
	// FedAvg: 2 seeds
	// self-normalised p: 2 seeds
	// Hájek: 2 seeds
	// FedAVOT: 2 seeds
}
