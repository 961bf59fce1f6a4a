package engine

import "sync"

// A Memo keeps what several cells need and none changes: populations and optima. It holds a
// bounded number of values and lets go of the one that was used longest ago. Several goroutines
// may use it at once. Nil keeps nothing.
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
		if len(m.items) >= m.size {
			m.drop()
		}
		it = new(item)
		m.items[key] = it
	}
	it.used = m.clock
	return it
}

// drop removes the item that was used longest ago. Callers that have it keep it.
func (m *Memo) drop() {
	var oldest memoKey
	first := true
	for key, it := range m.items {
		if first || it.used < m.items[oldest].used {
			oldest, first = key, false
		}
	}
	delete(m.items, oldest)
}
