// Package shadow takes a name that is taken.
package shadow

import "github.com/hansa-fl/hansa/framework/fl"

// FedAvg describes the aggregator.
var FedAvg = fl.AggregatorEntry{
	Name:    "fedavg",
	Summary: "another one",
	New:     func(p *fl.Params) (fl.Aggregator, error) { return nil, nil },
}
