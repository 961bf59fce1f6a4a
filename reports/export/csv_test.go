package export

import "testing"

// Numbers are no formulas, and texts that look like them get an apostrophe.
func TestTextsOfSpreadsheets(t *testing.T) {
	for text, want := range map[string]string{"": "", "-0.5": "-0.5", "+1e9": "+1e9", "-inf": "-inf",
		"-2+3": "'-2+3", "=A1": "'=A1", "@x": "'@x", "+ SLOT": "'+ SLOT", "\t=A1": "'=A1",
		"\r@x": "'@x", "＝A1": "'＝A1", "plain": "plain", "a=b": "a=b", "θ": "θ"} {
		if got := csvText(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
