// Package model holds what is trained.
package model
