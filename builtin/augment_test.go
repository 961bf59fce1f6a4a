package builtin

import (
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
)

// Clients train on images that change: to other models than without, and to the same for any number
// of workers. So it is with every local rule that trains in steps, whatever the model.
func TestClientsTrainOnAugmentedImages(t *testing.T) {
	for _, rule := range []string{"sgd", "fedprox", "fedsam", "fedbn"} {
		for _, model := range []string{"softmax", "mlp"} {
			c := personal(descends(rule))
			c.Picks["model"] = pick(model)
			plain, _, _ := ends(t, c)
			c.Picks["local"] = descends(rule, "crop", int64(2), "flip", true, "cutout", int64(8))
			changed, s, _ := ends(t, c)
			if slices.Equal(plain.Global, changed.Global) {
				t.Errorf("%s, %s: augmentation changes nothing", rule, model)
			}
			cell, err := engine.Start(s, engine.Options{Workers: 3})
			if err != nil {
				t.Fatal(err)
			}
			for range s.Rounds {
				if err := cell.Step(); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(cell.Checkpoint().Global, changed.Global) {
				t.Errorf("%s, %s: three workers train another model", rule, model)
			}
			cell.Close()
		}
	}
}

// Data that are no images cannot be augmented.
func TestOnlyImagesAreAugmented(t *testing.T) {
	c := personal(descends("sgd", "flip", true))
	c.Picks["dataset"] = pick("gaussian-domains", "classes", int64(3), "features", int64(4),
		"train", int64(30), "test", int64(12))
	c.Picks["model"] = pick("softmax")
	_, _, problems := menu(t).Compose(c)
	if len(problems) != 1 || !strings.Contains(problems[0].Message, "flip changes images") &&
		!strings.Contains(problems[0].Message, "changes images, and the rows of these data are none") {
		t.Error(problems)
	}
	c.Picks["local"] = descends("sgd", "flip", false)
	if _, _, problems := menu(t).Compose(c); len(problems) > 0 {
		t.Error(problems)
	}
}
