package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
)

const planFile = "plan.json"

// SavePlan stores the plan of the run. A plan that is damaged is kept in quarantine, and one that
// says the same is left alone.
func (r Run) SavePlan(p *Plan) error {
	record, err := seal(planForm, "", p)
	if err != nil {
		return err
	}
	return r.storing(func(f *folder) error {
		old, err := f.read(planFile)
		if err == nil && bytes.Equal(old, record) {
			return nil
		}
		if err == nil && sealed(planForm, "", old) != nil {
			sum := sha256.Sum256(old)
			kept := fmt.Sprintf("quarantine/plan.%x.json", sum[:4])
			if err := f.write(kept, old); err != nil {
				return err
			}
		}
		return f.write(planFile, record)
	})
}

// LoadPlan returns the plan of the run. It refuses what this program did not write, or would
// misread; what is wrong with a plan that is damaged wraps ErrDamaged. The ids of cells are those
// that the cells have, whatever the plan says.
func (r Run) LoadPlan() (*Plan, error) {
	var p Plan
	found, err := r.load(planFile, planForm, "", &p)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, fmt.Errorf("%s is not a run: it has no plan.json", r.Dir)
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("%s %w: %w", r.at(planFile), ErrDamaged, err)
	}
	return &p, nil
}

// check holds a plan to its cells.
func (p *Plan) check() error {
	if err := identified(p.Cells, p.IDs); err != nil {
		return err
	}
	if p.Hash != "" && p.Hash != HashOf(p.IDs) {
		return errors.New("its hash is not that of its cells")
	}
	return nil
}

// HashOf returns the hash of the ids of all cells of a plan, in hexadecimal.
func HashOf(ids []string) string {
	sum := sha256.Sum256([]byte(strings.Join(ids, "\n")))
	return hex.EncodeToString(sum[:])
}

// identified wants ids to be those of cells.
func identified(cells []study.Cell, ids []string) error {
	if len(cells) != len(ids) {
		return fmt.Errorf("%d ids for %d cells", len(ids), len(cells))
	}
	for i := range cells {
		if !cells[i].Is(ids[i]) {
			return fmt.Errorf("%s, seed %d: its id is not that of what it consists of",
				cells[i].Method, cells[i].Seed)
		}
	}
	return nil
}

// BriefDigest writes a digest as messages do: as much of "sha256:…" as tells versions apart.
func BriefDigest(digest string) string {
	const enough = 12
	kind, rest, found := strings.Cut(digest, ":")
	if !found || rest == "" {
		return kind
	}
	if len(rest) > enough {
		rest = rest[:enough] + "…"
	}
	return kind + " " + rest
}
