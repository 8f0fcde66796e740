// Package powertest simulates power failures: from the system calls of a program
// it derives the folders that a disk may hold if the power fails. The test of a
// storage opens each of them.
//
// [Record] runs the program under strace, [ReadCalls] reads strace's output, a
// [Disk] replays the calls, and [Disk.Failures] returns the states of the folder.
//
// # What a disk may have
//
// Everything that was synced is there. Of the rest, any part may be there:
//
//   - any of the writes to a file, and of each write any of its 512-byte
//     sectors; where the file grew, there may be zeros;
//   - any of the sizes that a file was given;
//   - any of the names that a folder gained, lost or changed. A rename is one
//     change. Syncing a file does not sync its name; syncing its folder does.
//
// If there are only a few dozen such states, Failures tries all of them, with
// whole writes. Usually there are more. Then it takes each file and folder in
// turn, while the others keep nothing or everything, and tries: no changes, all
// changes, each change alone, each one missing, and each prefix of the changes.
// It tears the last write of a file at sector boundaries, and keeps or drops
// single sectors. Some more states are random.
//
// # What is not simulated
//
// Disks that report a sync and did not do it, and torn sectors. File systems
// that promise more only allow fewer of these states. A call that may change a
// file in a way that this package cannot follow (such as a writable mapping) is
// an error.
package powertest
