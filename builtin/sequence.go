package builtin

import (
	"errors"

	"github.com/hansa-fl/hansa/builtin/dataset"
	"github.com/hansa-fl/hansa/builtin/metric"
	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/registry"
)

// sequences are data sets and models of tokens, and how they are measured.
func sequences(r *registry.Registry) error {
	return errors.Join(
		r.Sources.Add(
			dataset.Shakespeare, // characters by speaking role
			dataset.Text,        // characters of any plain texts
		),
		r.Models.Add(
			model.LSTM,        // one token after another
			model.GRU,         // the same with fewer gates
			model.Transformer, // by attention
		),
		r.Metrics.Add(
			metric.Perplexity, // on test data
		),
	)
}
