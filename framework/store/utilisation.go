package store

// utilisationFile holds how busy the last command was that trained cells of a run.
const utilisationFile = "utilisation.json"

// A Utilisation says how busy a command was that trained cells.
type Utilisation struct {
	Ended     string  `json:"ended"`     // RFC 3339
	Workers   int     `json:"workers"`   // cells at once
	Cells     int     `json:"cells"`     // that ended
	Seconds   float64 `json:"seconds"`   // from the first cell to the end
	Busy      float64 `json:"busy"`      // seconds of workers with a cell, up to Workers × Seconds
	Processor float64 `json:"processor"` // seconds of processors; 0 where the system does not tell
}

// SaveUtilisation stores how busy a command was, where there is a run still. That of an earlier
// command is replaced.
func (r Run) SaveUtilisation(u *Utilisation) error {
	return r.within(func(f *folder) error {
		return f.save(utilisationFile, utilisationForm, "", u)
	})
}

// LoadUtilisation returns how busy the last command was, or nil where none said so.
func (r Run) LoadUtilisation() (*Utilisation, error) {
	var u Utilisation
	found, err := r.load(utilisationFile, utilisationForm, "", &u)
	if err != nil || !found {
		return nil, err
	}
	return &u, nil
}
