package engine

import "sync"

// A Memo keeps what several cells need and none changes: populations and optima. It
// holds a bounded number of things and lets go of the one that was used longest ago.
type Memo struct {
	mu    sync.Mutex
	size  int
	clock int
	items map[string]*item
}

type item struct {
	once  sync.Once
	used  int
	value any
	err   error
}

// NewMemo returns a memo that holds at most size things.
func NewMemo(size int) *Memo { return &Memo{size: size, items: map[string]*item{}} }

// get returns what make returned when it was first called for key.
func (p *Memo) get(key string, make func() (any, error)) (any, error) {
	if p == nil {
		return make()
	}
	it := p.item(key)
	it.once.Do(func() { it.value, it.err = make() })
	return it.value, it.err
}

func (p *Memo) item(key string) *item {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clock++
	it, ok := p.items[key]
	if !ok {
		if len(p.items) >= p.size {
			p.drop()
		}
		it = new(item)
		p.items[key] = it
	}
	it.used = p.clock
	return it
}

// drop removes the item that was used longest ago. Whoever holds it keeps it.
func (p *Memo) drop() {
	oldest := ""
	for key, it := range p.items {
		if oldest == "" || it.used < p.items[oldest].used {
			oldest = key
		}
	}
	delete(p.items, oldest)
}
