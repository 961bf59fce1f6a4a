package engine

// Work returns how much there is to do in a cell, in numbers that gradients consist of: rounds ×
// rows × parameters. It orders cells before any of them was timed, and is no time: steps, cohorts
// and what an aggregator solves are not in it. Rows that are not known before data are loaded count
// as one for each client.
func Work(s *Setup) float64 {
	rows := max(s.Source.Shape().Rows, s.Clients)
	parameters := 1
	if !s.NoModel {
		parameters = max(1, s.Model.Layout().Len())
	}
	return float64(max(1, s.Rounds)) * float64(rows) * float64(parameters)
}
