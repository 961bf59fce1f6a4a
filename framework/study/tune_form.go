package study

// tuneForm is the schema of [tune].
func tuneForm() object {
	ends := func(item object) object {
		return object{"type": "array", "minItems": 2, "maxItems": 2, "items": item}
	}
	ranged := func(scale string, item object) object {
		return object{"type": "object", "required": []string{scale},
			"properties": object{scale: ends(item)}, "additionalProperties": false}
	}
	number := object{"type": "number"}
	choice := object{"anyOf": []any{
		object{"type": "array", "minItems": 2, "maxItems": mostValues, "uniqueItems": true},
		ranged(LogScale, object{"type": "number", "exclusiveMinimum": 0}),
		ranged(LinearScale, number), ranged(IntegerScale, object{"type": "integer"}),
	}}
	nested := object{}
	for _, key := range tunable {
		nested[key] = object{"type": "object", "minProperties": 1}
	}
	return object{"type": "object", "additionalProperties": false,
		"description": "how parameters of methods are chosen before the methods are reported",
		"required":    []string{"budget", "by", "seeds", "space"},
		"properties": object{
			"budget": described(object{"type": "integer", "minimum": 1, "maximum": MostBudget},
				"settings that each method may try, the same for all"),
			"by": described(line(), "key of the measure that decides, on validation samples"),
			"seeds": described(object{"anyOf": []any{
				object{"type": "integer", "minimum": 1, "maximum": mostSeeds},
				object{"type": "array", "minItems": 1, "maxItems": mostSeeds,
					"uniqueItems": true, "items": object{"type": "integer", "minimum": 0}},
			}}, "seeds of the trials, none of which is reported"),
			"search": described(object{"enum": Searches()}, "how settings are chosen"),
			"validation": described(object{"type": "number", "exclusiveMinimum": 0,
				"exclusiveMaximum": 1}, "share of each client's training samples"),
			"across": described(oneOrMore(line()), "axes along which a method has one setting: "+
				"the best by its worst value over their points"),
			"space": object{"type": "object", "minProperties": 1, "properties": nested,
				"additionalProperties": choice,
				"description":          "parameters, \"local.lr\" or \"LABEL: local.lr\"",
			},
		}}
}
