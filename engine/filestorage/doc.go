// Package filestorage is an [engine.Storage] in one file that only ever grows
// at its end, for hosts that have files and nothing more: Sandtable in Node.js,
// where bbolt, which maps its file into memory, cannot be built.
//
// # Layout
//
// The folder has one file, [FileName]: an opening, then frames. The opening is
//
//	name     8  of the format, with its version
//	salt     8  random, for the sums of this file's frames
//	base     8  how much of the file was written at once, when it was written anew
//	sum      4  CRC-32C of these; four zeros follow
//
// A frame is a header of 32 bytes and a payload:
//
//	sum      4  CRC-32C of the salt and the rest of the header
//	kind     1  record, block or commit; three zeros follow
//	number   8  that of the record or the block, or the last one that a commit drops from the log
//	length   4  of the payload, in bytes
//	check    4  CRC-32C of the payload
//	commits  8  how many commits stand before this frame
//
// Numbers are little-endian. A checkpoint is its blocks, one frame each, and a
// commit, whose payload has the directory's entries of those blocks, the
// identities of the deleted ones, and the checkpoint's text. Blocks without
// their commit are not there. What a later frame replaces stays until the file
// holds more of that than of anything else; then it is written anew beside the
// old one, which it replaces by its name.
//
// # Promises
//
// A call is one write, at the end. One that is torn, by a crash or a full disk,
// is cut off: by the call itself or by the Load that opens the file. What an
// acknowledged one survives is [engine.Strict] or [engine.Relaxed].
//
// # Damage
//
// Load follows the headers and reads no block but those of a checkpoint that is
// the file's last write, which could be torn. Where a header is damaged it looks
// for the next whole one. The engine then misses the record by its number, or
// the block when it is read, and reports that. A commit that is damaged and not
// the last write leaves open which blocks count: all of them do then, and the
// engine is told that the checkpoint's text is lost. It reports that, has the
// youngest block win, and may find entities that had been deleted.
//
// # One at a time
//
// A folder must not be open twice. js/wasm has no locks on files, so the
// caller sees to it.
package filestorage
