package leaderboard

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// form is that of the files that Encode writes. It changes whenever a program before it would
// misread a file.
const form = "hansa/leaderboard/1"

// The beginning of a file: its form, and the SHA-256 of the whole file, in which zeros stand in its
// place.
const (
	formHead = "{\"format\": \""
	sumHead  = "\",\n\"sha256\": \""
	runsHead = "\",\n\"runs\": ["
	fileTail = "]}\n"
)

// noSum stands in the place of the checksum.
func noSum() string { return strings.Repeat("0", hex.EncodedLen(sha256.Size)) }

// Encode returns the file of records, as JSON with a line for every training run: the same bytes
// for the same runs.
func Encode(records []*Record) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(formHead + form + sumHead)
	at := b.Len()
	b.WriteString(noSum() + runsHead)
	for i, r := range records {
		if i > 0 {
			b.WriteString(",")
		}
		s, err := r.packed()
		if err == nil {
			err = s.write(&b)
		}
		if err != nil {
			return nil, err
		}
	}
	b.WriteString(fileTail)
	text := b.Bytes()
	sum := sha256.Sum256(text)
	hex.Encode(text[at:], sum[:])
	return text, nil
}

// write writes a run: a line for every field, and for every element of its long lists.
func (s *storedRun) write(b *bytes.Buffer) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return err
	}
	between := "{\n"
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		name, _ := key.(string)
		b.WriteString(between + "\"" + name + "\": ")
		between = ",\n"
		if err := writeField(b, name, value); err != nil {
			return err
		}
	}
	b.WriteString("\n}")
	return nil
}

// writeField writes the value of a field.
func writeField(b *bytes.Buffer, name string, value json.RawMessage) error {
	long := map[string]bool{"laws": true, "costs": true, "kinds": true, "frames": true,
		"picks": true, "arms": true, "cells": true}
	if !long[name] {
		b.Write(value)
		return nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(value, &list); err != nil {
		return err
	}
	for i, one := range list {
		b.WriteString(map[bool]string{true: "[\n", false: ",\n"}[i == 0])
		b.Write(one)
	}
	if len(list) == 0 {
		b.WriteString("[")
	}
	b.WriteString("]")
	return nil
}
