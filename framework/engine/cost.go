package engine

import "github.com/hansa-fl/hansa/framework/fl"

// timedRounds is the most rounds of a cell whose clients and server are timed. Where there are
// more of them, a round may take a microsecond, of which reading a clock would be a share.
const timedRounds = 1000

// A Cost is what a cell took. Its bytes are counted, and the same in every run, as virtual hours
// are; its seconds are those of a clock. So it is reported beside results, never in them.
type Cost struct {
	Uploaded int64 `json:"uploaded"` // bytes sent by clients, preprocessing included
	// UploadedBits are those that are sent beside so many bytes, 0 to 7.
	UploadedBits int64 `json:"uploaded_bits,omitempty"`
	Downloaded   int64 `json:"downloaded"` // bytes sent to clients, preprocessing included
	// DownloadedBits are those that are sent beside so many bytes, 0 to 7.
	DownloadedBits int64 `json:"downloaded_bits,omitempty"`
	// Hours are virtual: how long all rounds lasted by the completion model.
	Hours float64 `json:"hours,omitempty"`
	Timed bool    `json:"timed"` // Clients and Server are known
	// Clients are seconds of local training, summed over clients and rounds; 0 in records of
	// before it was measured.
	Clients    float64 `json:"clients,omitempty"`
	Server     float64 `json:"server"`     // seconds of aggregation, over all rounds
	Preprocess float64 `json:"preprocess"` // seconds of the chain of preprocessors
}

// Counted returns what is counted: the cost without what clocks showed.
func (c Cost) Counted() Cost {
	c.Clients, c.Server, c.Preprocess = 0, 0, 0
	return c
}

// Upload returns the bytes sent by clients, with fractions of one.
func (c *Cost) Upload() float64 { return float64(c.Uploaded) + float64(c.UploadedBits)/8 }

// Download returns the bytes sent to clients, with fractions of one.
func (c *Cost) Download() float64 { return float64(c.Downloaded) + float64(c.DownloadedBits)/8 }

// cost returns what the cell took so far. What it shares with other cells it counts as its own.
func (c *Cell) cost() *Cost {
	p, down := c.progress, int64(0)
	if p.Shadow != nil {
		down = p.Shadow.Sent
	}
	return &Cost{Uploaded: fl.BytesPerNumber*p.Uploaded + p.Coded/8, UploadedBits: p.Coded % 8,
		Downloaded: fl.BytesPerNumber*p.Downloaded + down/8, DownloadedBits: down % 8,
		Hours: p.Time / 3600, Timed: c.setup.timed(), Clients: p.Training, Server: p.Serving,
		Preprocess: c.world.Seconds}
}

// timed reports whether the seconds of clients and server are taken.
func (s *Setup) timed() bool { return s.Rounds <= timedRounds }

// lap starts a watch where clients and server are timed.
func (s *Setup) lap() (w stopwatch) {
	if s.timed() {
		w = startWatch()
	}
	return w
}

// since returns the seconds since lap started a watch; 0 where nothing is timed.
func (s *Setup) since(w stopwatch) float64 {
	if !s.timed() {
		return 0
	}
	return w.seconds()
}
