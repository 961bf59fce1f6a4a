package fl

// A Reading is an input of a metric other than θ and the model's predictions. Methods whose metric
// reads different ones of the same kind, such as other test data, are not compared.
type Reading string

// What a metric can read. The names are those of the ingredients of a quantity in package
// study.
const (
	ReadsTest       Reading = "test data"     // test rows, of any client
	ReadsTraining   Reading = "training data" // training rows
	ReadsPopulation Reading = "population"    // which rows each client has
	ReadsImportance Reading = "p"             // how much a client counts
	ReadsEnrollment Reading = "enrollment"    // which clients are enrolled
	ReadsLoss       Reading = "loss"          // of a sample, and the penalty
	ReadsOptimum    Reading = "model"         // θ* or F*, the minimiser or the minimum
)

// A Loss says which loss a model has. Models whose losses have one name have the same loss of
// a sample wherever they give it the same scores.
type Loss struct {
	Name    string  // "cross-entropy"
	Penalty float64 // weight of a penalty on parameters, 0 for none
}
