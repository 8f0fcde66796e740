package zipfile

import (
	"encoding/binary"
	"hash/crc32"
)

// File is a text file in an archive.
type File struct {
	Name string // slash-separated, in ASCII
	Text string
}

// The parts of an archive, by PKWARE's APPNOTE 6.3.
const (
	localHeader   = 0x04034b50
	centralHeader = 0x02014b50
	centralEnd    = 0x06054b50

	version = 20       // 2.0, for folders
	date    = 1<<5 | 1 // 1 January 1980: the same files are the same archive
)

// Pack returns an archive of files. All of them together are under 4 GiB.
func Pack(files []File) []byte {
	var out, central []byte
	for _, f := range files {
		start := len(out)
		common := le16(nil, version, 0, 0, 0, date) // no flags, stored, midnight
		common = le32(common, crc32.ChecksumIEEE([]byte(f.Text)), uint32(len(f.Text)), uint32(len(f.Text)))
		common = le16(common, uint16(len(f.Name)), 0) // no extra fields

		out = append(le32(out, localHeader), common...)
		out = append(append(out, f.Name...), f.Text...)

		central = append(le16(le32(central, centralHeader), version), common...)
		central = le16(central, 0, 0, 0) // no comment, first disk, no attributes
		central = append(le32(central, 0, uint32(start)), f.Name...)
	}
	n, start := uint16(len(files)), uint32(len(out))
	out = append(out, central...)
	out = le16(le32(out, centralEnd), 0, 0, n, n)
	return le16(le32(out, uint32(len(central)), start), 0)
}

func le16(to []byte, all ...uint16) []byte {
	for _, v := range all {
		to = binary.LittleEndian.AppendUint16(to, v)
	}
	return to
}

func le32(to []byte, all ...uint32) []byte {
	for _, v := range all {
		to = binary.LittleEndian.AppendUint32(to, v)
	}
	return to
}
