// Package local holds the client's half of a method: what a client does between receiving
// the global model and uploading its own.
package local
