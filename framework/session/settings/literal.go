package settings

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Literal writes a value as TOML does.
func Literal(v any) string {
	switch x := v.(type) {
	case string:
		return strconv.Quote(x)
	case float64:
		return strings.Replace(strconv.FormatFloat(x, 'g', -1, 64), "e-0", "e-", 1)
	case []any:
		return bracketed(x)
	case []float64:
		return bracketed(x)
	case []int:
		return bracketed(x)
	case []int64:
		return bracketed(x)
	case map[string]any:
		var parts []string
		for _, k := range slices.Sorted(maps.Keys(x)) {
			parts = append(parts, k+" = "+Literal(x[k]))
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	}
	return fmt.Sprint(v)
}

func bracketed[T any](list []T) string {
	var parts []string
	for _, v := range list {
		parts = append(parts, Literal(v))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
