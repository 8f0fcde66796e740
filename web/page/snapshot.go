package page

import "time"

// SnapshotName names a snapshot that was given no name: by the time.
func SnapshotName() string { return time.Now().UTC().Format("2006-01-02 15:04:05") + " UTC" }
