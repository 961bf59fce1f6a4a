package export

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"path"
	"strings"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/reports/infer"
)

// Events hands a run to put, file by file, as event files of TensorBoard: a folder for each
// method, in it one for each point of the sweep, axis by axis, and in these one for each seed.
// Steps are rounds and tags metrics. TensorBoard's scalars are float32. No event has a time, so
// that the same run is the same bytes.
func Events(in infer.Input, put func(name string, content []byte) error) error {
	t, err := newLongTable(&in)
	if err != nil {
		return err
	}
	folders := t.eventFolders()
	for i, id := range in.IDs {
		series, rounds := measured(&in, id)
		if len(series) == 0 {
			continue
		}
		if err := put(path.Join(folders[i], "events.out.tfevents.0.hansa"),
			eventFile(series, rounds)); err != nil {
			return err
		}
	}
	return nil
}

// eventFolders returns the folder of every cell.
func (t *longTable) eventFolders() []string {
	cells := t.in.Cells
	parts := make([][]string, len(cells)) // by cell: texts, from the top
	for i := range cells {
		parts[i] = []string{cells[i].Method}
		for _, c := range cells[i].Point {
			parts[i] = append(parts[i], c.Label)
		}
		parts[i] = append(parts[i], fmt.Sprintf("seed=%d", cells[i].Seed))
	}
	list := make([]string, len(cells))
	for level := range parts[0] {
		below := map[string][]string{} // by folder: texts of what is in it
		for i := range parts {
			below[list[i]] = append(below[list[i]], parts[i][level])
		}
		names := map[string]map[string]string{}
		for folder, texts := range below {
			names[folder] = distinctFileNames(texts)
		}
		for i := range parts {
			list[i] = path.Join(list[i], names[list[i]][parts[i][level]])
		}
	}
	return list
}

// Fields of the messages of TensorBoard: an Event has a step and a file version or a Summary, a
// Summary has Values, and these a tag and a number. See tensorflow/core/util/event.proto and
// tensorflow/core/framework/summary.proto.
const (
	eventStep, eventVersion, eventSummary = 2, 3, 5
	summaryValue                          = 1
	valueTag, valueSimple                 = 1, 2
)

// Types of what follows a field in a message of protobuf.
const (
	wireVarint, wireBytes, wireFixed32 = 0, 2, 5
)

// eventFile returns the events of a cell: one with the version of the form, and one for every
// round, with all that was measured in it.
func eventFile(series []engine.Series, rounds []int) []byte {
	b := appendRecord(nil, appendBytes(nil, eventVersion, []byte("brain.Event:2")))
	for k, round := range rounds {
		var summary []byte
		for _, s := range series {
			if k >= len(s.Values) {
				continue
			}
			value := appendBytes(nil, valueTag, []byte(strings.ToValidUTF8(s.Key, "�")))
			value = append(value, valueSimple<<3|wireFixed32)
			value = binary.LittleEndian.AppendUint32(value, math.Float32bits(float32(s.Values[k])))
			summary = appendBytes(summary, summaryValue, value)
		}
		event := binary.AppendUvarint([]byte{eventStep<<3 | wireVarint}, uint64(round))
		b = appendRecord(b, appendBytes(event, eventSummary, summary))
	}
	return b
}

// appendBytes appends a field with a text or a message.
func appendBytes(b []byte, field byte, content []byte) []byte {
	b = binary.AppendUvarint(append(b, field<<3|wireBytes), uint64(len(content)))
	return append(b, content...)
}

// appendRecord appends a record of a TFRecord file: its length, a checksum of that, the record
// and a checksum of it.
func appendRecord(b, record []byte) []byte {
	length := binary.LittleEndian.AppendUint64(nil, uint64(len(record)))
	b = append(b, length...)
	b = binary.LittleEndian.AppendUint32(b, masked(length))
	b = append(b, record...)
	return binary.LittleEndian.AppendUint32(b, masked(record))
}

// masked returns the CRC-32C of a text, rotated and shifted as TFRecord has it, since checksums
// of what holds checksums are weak.
func masked(b []byte) uint32 {
	sum := crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
	return (sum>>15 | sum<<17) + 0xa282ead8
}
