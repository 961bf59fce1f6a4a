package study

import "maps"

// settings defines what changes a setting: [setting], [[method]], points and ablations.
func (f *grammar) settings() {
	count := object{"type": "integer", "minimum": 1}
	for key, schema := range map[string]object{
		"clients":       described(count, "N"),
		"rounds":        described(count, "T"),
		"measure_every": described(count, "rounds between two evaluations"),
		"data_seed": described(object{"type": "integer", "minimum": 0},
			"seed of the data and of how they are partitioned, so that all seeds share them"),
		"law": described(object{"enum": words["law"]},
			"whether the server knows the cohort distribution"),
		"disclosure": described(object{"enum": words["disclosure"]},
			"what the server knows of the covariates of clients that are not enrolled"),
		"oracle": described(object{"type": "boolean"},
			"whether aggregators are told the true participation probabilities"),
		"initial": described(
			object{"anyOf": []any{object{"enum": words["initial"]}, initialFile()}},
			"whether clients start from the same parameters, or the file that holds them"),
		"validation": described(object{"type": "number", "minimum": 0, "exclusiveMaximum": 1},
			"share of the training samples that the server holds"),
		"test": described(object{"enum": words["test"]},
			"whether clients get test samples by the law of their training samples"),
		"held_out": described(object{"type": "number", "minimum": 0, "exclusiveMaximum": 1},
			"share of each client's training samples that it tests on"),
	} {
		f.defs[key] = schema
	}
	f.defs["setting"] = f.place(nil, "what methods have in common")
	f.defs["method"] = f.place(object{
		"label": described(line(), "what the method is called"),
		"role": described(object{"enum": []string{"upper-bound", "lower-bound", "literature"}},
			"a reference that is shown, neither ranked nor tested: upper-bound, expected to be "+
				"the "+
				"best; lower-bound, expected to be the worst; literature, numbers of others"),
	}, "a method: what it changes in the setting", "label")
	f.defs["point"] = f.place(object{"label": described(line(), "what the point is called")},
		"a point of the sweep: what it changes in the setting", "label")
	f.defs["ablation"] = object{"type": "object", "minProperties": 2,
		"required":             []string{"of"},
		"description":          "changes of a method, one at a time, by their names",
		"properties":           object{"of": described(line(), "label of the method")},
		"additionalProperties": ref("setting"),
	}
	f.defs["report"] = reportForm()
	f.defs["reference"] = referenceForm()
	f.defs["claim"] = claimForm()
	f.defs["tune"] = tuneForm()
}

// place is a table that changes a setting, and may have keys of its own.
func (f *grammar) place(own object, description string, required ...string) object {
	properties := object{}
	for _, key := range settingKeys {
		properties[key] = ref(key)
	}
	maps.Copy(properties, f.paths)
	maps.Copy(properties, own)
	o := object{"type": "object", "description": description, "properties": properties,
		"patternProperties": f.patterns, "additionalProperties": false}
	if required != nil {
		o["required"] = required
	}
	return o
}

// sweep defines axes: lists of values at a path, named points, and lists that are paired.
func (f *grammar) sweep() {
	crossed, paired := object{}, object{"label": listOf(line())}
	lists := object{"anyOf": []any{listOf(object{}), object{"type": "object"}}}
	f.defs["lists"] = object{"type": "object", "minProperties": 1,
		"description": "lists below a path", "additionalProperties": lists}
	for _, key := range settingKeys {
		crossed[key] = object{"anyOf": []any{listOf(ref(key), ref("point")), ref("paired"),
			ref("lists")}}
		paired[key] = object{"anyOf": []any{listOf(ref(key)), ref("lists")}}
	}
	for path, schema := range f.paths {
		crossed[path] = object{"anyOf": []any{listOf(schema, ref("point")), ref("paired")}}
		paired[path] = listOf(schema)
	}
	deeper := object{}
	for pattern := range f.patterns {
		deeper[pattern] = lists
	}
	for _, name := range []string{"method", "seed"} { // which tables have already
		crossed[name] = false
	}
	f.defs["paired"] = object{"type": "object", "minProperties": 1, "properties": paired,
		"patternProperties": deeper, "additionalProperties": false,
		"description": "lists of one length, paired value by value"}
	f.defs["sweep"] = object{"type": "object", "properties": crossed,
		"patternProperties":    deeper,
		"additionalProperties": object{"anyOf": []any{listOf(ref("point")), ref("paired")}},
		"description":          "a product of axes: lists of values, or of points with labels"}
}

// reportForm is the schema of [report].
func reportForm() object {
	never := func(a, b object) object { return object{"not": object{"allOf": []any{a, b}}} }
	has := func(key string) object { return object{"required": []string{key}} }
	parent := object{"required": []string{"against"},
		"properties": object{"against": object{"const": "parent"}}}
	return object{"type": "object", "description": "what tables show",
		"additionalProperties": false,
		"allOf": []any{never(has("metric"), has("metrics")),
			never(has("baseline"), parent)},
		"properties": object{
			"rows":    object{"enum": []string{"method"}},
			"metric":  described(oneOrMore(line()), "keys of measures, the first is tested"),
			"metrics": described(oneOrMore(line()), "keys of measures, the first is tested"),
			"against": described(object{"enum": []string{"baseline", "parent"}},
				"what methods are compared with; ablations with what they change: parent"),
			"baseline": described(line(), "label of the method that others are tested against"),
			"columns": described(oneOrMore(line()),
				"axes across the table; the others are blocks"),
			"final": described(object{"type": "integer", "minimum": 1},
				"a final value is the mean over so many last rounds"),
			"across": described(object{"type": "boolean"},
				"rank and test methods though they measure different quantities"),
			"worst": described(line(), "axis of the sweep over which tables show, too, the worst "+
				"value in every seed"),
			"cost": described(object{"type": "boolean"},
				"show bytes sent, and seconds of the server and of preprocessing; by default "+
					"where some method has one round"),
			"frontier": described(object{"type": "boolean"}, "an audit shows the least total "+
				"variation from p for every variance, and methods beside it"),
			"tracking": described(object{"type": "integer", "minimum": 1}, "an audit shows how "+
				"far the mean weights of so many rounds in a row are from p"),
			"spread": described(object{"enum": []string{"sd", "sem", "ci"}}, "what ± is"),
			"tuned": described(object{"const": tunedRequired},
				"refuse methods that are ranked and not tuned"),
		}}
}

// referenceForm is the schema of [[reference]].
func referenceForm() object {
	claim := object{"required": []string{"claim"},
		"properties": object{"col": false, "value": false}}
	value := object{"required": []string{"row", "col", "value"},
		"properties": object{"claim": false}}
	return object{"type": "object", "additionalProperties": false,
		"description": "a number from somewhere else, shown beside ours; or a claim in words",
		"required":    []string{"source"},
		"anyOf":       []any{claim, value},
		"properties": object{
			"row":    described(line(), "label of a method"),
			"col":    described(line(), "key of a measure"),
			"value":  object{"type": "number"},
			"claim":  line(),
			"role":   object{"enum": []string{"literature"}},
			"source": described(line(), "where it is from"),
			"point":  described(oneOrMore(line()), "labels on the axes that it belongs to"),
		}}
}

// claimForm is the schema of [[claim]].
func claimForm() object {
	either := func(one, other string) object {
		return object{"required": []string{one}, "properties": object{other: false}}
	}
	return object{"type": "object", "additionalProperties": false,
		"description": "a claim of a paper, and the predicate that its results are tested for",
		"required":    []string{"source", "says"},
		"oneOf":       []any{either("holds", "needs"), either("needs", "holds")},
		"properties": object{
			"source": described(line(), "where it is made: paper, section, figure"),
			"says":   described(line(), "the words of the paper"),
			"holds": described(line(), "the predicate: better(A, B, METRIC), "+
				"equivalent(A, B, METRIC, within = 10 %), increases(METRIC, over = AXIS), …"),
			"needs": described(line(), "what is missing here to test it"),
			"at":    described(oneOrMore(line()), "labels on the axes that it is about"),
		}}
}

// initialFile is a table that names a file of parameters.
func initialFile() object {
	return object{"type": "object", "additionalProperties": false, "required": []string{"file"},
		"properties": object{
			"file": described(line(), "a safetensors file"),
			"names": described(object{"type": "object", "additionalProperties": line()},
				"names of tensors in the file, by those that PyTorch has for the model's"),
			"sha256": described(object{"type": "string", "pattern": "^[0-9a-f]{64}$"},
				"checksum of the file"),
		}}
}
