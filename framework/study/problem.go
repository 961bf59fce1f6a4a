package study

// A Pos is a place in an experiment file, or on the command line.
type Pos struct {
	File string // as the user named it; "--set" for the command line
	Line int    // from 1; 0 when there is no line
	Col  int    // from 1, in characters
	Len  int    // in characters
}

// A Span is where a key was written, and where its value was.
type Span struct{ Key, Value Pos }

// A Problem is one mistake of the user.
type Problem struct {
	Pos     Pos
	Message string // lower case, no full stop
	Hint    string // what is allowed, or what was probably meant; may be empty
}

// Problems are all mistakes that were found; none of them is reported alone when there
// are others.
type Problems []Problem
