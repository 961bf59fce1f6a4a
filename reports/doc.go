// Package reports turns results into tables: results → samples → statistics → one
// numeric table model → text, Markdown, LaTeX, HTML, CSV, JSON; and charts, which package
// figure draws. Package page makes one page of all of it.
//
// The layers do not know each other's business. A sample is the final values of one method
// at one point of the sweep, one value per seed. Statistics see nothing but numbers: seeds
// are the unit of replication and are paired across methods; a method is tested against
// the declared baseline, or an ablation against the method that it changes, by a paired t
// test, Holm-adjusted over the tests of its column; bold is the best mean and, walking
// down by mean, every method that cannot be told from it. A Table holds all of that as
// numbers, with footnotes for whatever a reader would otherwise have to ask; a renderer
// only chooses how it looks.
//
// A Contest compares methods over all conditions of an experiment, or of several: the same
// statistics and more, as tables of the same model. Seeds stay the unit of replication.
//
// What is not complete — fewer seeds than planned, a value that is not finite — is
// shown, and neither ranked nor tested. Bounds and literature are shown, never ranked.
package reports
