package engine

import "sync"

// A Memo keeps what several cells need and none changes: populations, optima and cohorts. It holds
// a bounded number of values and lets go of the one that was used longest ago. Cohorts are counted
// apart from the others, which may be large. Several goroutines may use it at once. Nil keeps
// nothing.
type Memo struct {
	mu    sync.Mutex
	size  int
	clock int
	items map[memoKey]*item
}

// A memoKey says what a value is, and all that it depends on.
type memoKey struct {
	what     memoized
	setting  string // a key of the Setup, or that of a component
	enrolled string // the clients that summarised their data; empty: all, or none did
	moments  bool   // moments are computed, too
	packed   bool   // rows are packed
}

// memoized is what is kept.
type memoized int

const (
	populations memoized = iota
	preparations
	pools
	optima
	optimaGaps
	cohorts
	tensors
	uploads
)

type item struct {
	once  sync.Once
	used  int
	value any
	err   error
}

// NewMemo returns a memo that holds at most size values.
func NewMemo(size int) *Memo { return &Memo{size: size, items: map[memoKey]*item{}} }

// remember returns what make returned when it was first called for key.
func remember[V any](m *Memo, key memoKey, make func() (V, error)) (V, error) {
	if m == nil {
		return make()
	}
	it := m.item(key)
	it.once.Do(func() { it.value, it.err = make() })
	if it.err != nil {
		var none V
		return none, it.err
	}
	return it.value.(V), nil
}

func (m *Memo) item(key memoKey) *item {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clock++
	it, ok := m.items[key]
	if !ok {
		m.makeRoom(key.what == cohorts)
		it = new(item)
		m.items[key] = it
	}
	it.used = m.clock
	return it
}

// makeRoom removes the item that was used longest ago, of cohorts or of the others, if there are as
// many as may be. Callers that have it keep it.
func (m *Memo) makeRoom(ofCohorts bool) {
	var oldest memoKey
	count := 0
	for key, it := range m.items {
		if (key.what == cohorts) != ofCohorts {
			continue
		}
		if count == 0 || it.used < m.items[oldest].used {
			oldest = key
		}
		count++
	}
	if count >= m.size {
		delete(m.items, oldest)
	}
}
