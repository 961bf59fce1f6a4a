package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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
	var p struct {
		Plan
		Cells []json.RawMessage `json:"cells"` // nearly all of it
	}
	found, err := r.load(planFile, planForm, "", &p)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, fmt.Errorf("%s is not a run: it has no plan.json", r.Dir)
	}
	if err := p.Plan.read(p.Cells); err != nil {
		return nil, fmt.Errorf("%s %w: %w", r.at(planFile), ErrDamaged, err)
	}
	return &p.Plan, nil
}

// read reads the cells of a plan, several at once, and holds the plan to them.
func (p *Plan) read(texts []json.RawMessage) error {
	if len(texts) != len(p.IDs) {
		return fmt.Errorf("%d ids for %d cells", len(p.IDs), len(texts))
	}
	if len(texts) > 0 {
		p.Cells = make([]study.Cell, len(texts))
	}
	errs, reader := make([]error, len(texts)), study.NewReader()
	Each(len(texts), func(i int) {
		// Unlike json.Unmarshal it does not look for mistakes again that are none.
		if errs[i] = reader.Read(texts[i], &p.Cells[i]); errs[i] == nil {
			errs[i] = isOf(&p.Cells[i], p.IDs[i])
		}
	})
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return errs[i]
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
		if err := isOf(&cells[i], ids[i]); err != nil {
			return err
		}
	}
	return nil
}

// isOf wants an id to be that of a cell.
func isOf(c *study.Cell, id string) error {
	if !c.Is(id) {
		return fmt.Errorf("%s, seed %d: its id is not that of what it consists of", c.Method,
			c.Seed)
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
