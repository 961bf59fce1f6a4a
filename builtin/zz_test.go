package builtin
import ("testing";"github.com/hansa-fl/hansa/registry/contract")
func TestContractZZ(t *testing.T) {
	keepsContract(t, contract.Options{Only: func(kind, name string) bool {
		return kind=="model" && (name=="lstm"||name=="transformer"||name=="softmax"||name=="mlp")
	}})
}
