package store

import "crypto/rand"

// cancelFile holds the mark of the last cancellation of a run.
const cancelFile = "cancelled.json"

// A cancellation is what a run keeps of the last time that it was cancelled.
type cancellation struct {
	Mark string `json:"mark"` // another one each time
}

// MarkCancelled changes the mark of a run: what is being submitted meanwhile finds another one than
// when it began, and cancels what it has submitted.
func (r Run) MarkCancelled() error {
	return r.save(cancelFile, cancelForm, "", &cancellation{rand.Text()})
}

// CancelMark returns the mark of the last cancellation; "" where there was none.
func (r Run) CancelMark() (string, error) {
	var c cancellation
	_, err := r.load(cancelFile, cancelForm, "", &c)
	return c.Mark, err
}
