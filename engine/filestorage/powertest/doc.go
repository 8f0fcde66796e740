// Package powertest plays power failures through: from what a program asked of
// the operating system it makes the folders that a disk may have when the power
// fails. The test of a storage opens each of them.
//
// [Record] runs the program under strace, [ReadCalls] reads what strace wrote, a
// [Disk] follows the calls, and [Disk.Failures] makes the states of the folder.
//
// # What a disk may have
//
// What was synced is there. Of what was not, any part may be:
//
//   - of the writes to a file, any, and of each write any of its sectors of 512
//     bytes; where the file became longer, there may be zeros;
//   - of the sizes that a file was given, any;
//   - of the names that a folder got, lost or changed, any. A rename is one
//     change. The sync of a file says nothing about its name; that of the folder
//     does.
//
// Where these are a few dozens, all are tried, as far as writes are whole. There
// are mostly more: of each file and folder, while the others have nothing or everything,
// those with nothing, everything, one change alone, one missing, and all up
// to each. The last write is torn before and behind sectors, and with one
// alone or missing. Some more are made at random.
//
// # What is not known
//
// Disks that say that they have synced what they have not, and sectors that are
// torn. What file systems promise beyond that would only make the states fewer.
// A call that may change a file in a way that is not known here (a mapping
// that can be written, for one) is an error, and not passed over.
package powertest
