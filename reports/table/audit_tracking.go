package table

import "github.com/hansa-fl/hansa/framework/audit"

// tracked returns how many rounds in a row findings compare with p; 0: none.
func tracked(findings []audit.Finding) int {
	for i := range findings {
		if t := findings[i].Tracking; t != nil {
			return t.Rounds
		}
	}
	return 0
}

// trackingCell writes the total variation from p of the mean weights of these rounds, and its
// standard error.
func trackingCell(f *audit.Finding) string {
	if f.Tracking == nil {
		return "—"
	}
	return ThreeDecimals(f.Tracking.TV) + " ± " + ThreeDecimals(f.Tracking.Error)
}
