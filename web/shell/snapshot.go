package shell

import (
	"context"

	"sandtable/web/page"
)

// snapshotsPage lists the snapshots of an account.
const snapshotsPage = "snapshots"

// takeSnapshot takes a snapshot of the present account, named by the time, from any
// page.
func (s *Shell) takeSnapshot() {
	account := s.account()
	if _, connected := s.Connected(account); connected {
		s.Notify("Snapshots are for accounts of this browser")
		return
	}
	api := s.Control()
	s.Background(func(c context.Context) func() {
		taken, err := api.TakeSnapshot(c, account, page.SnapshotName(), "taken")
		return func() {
			if err != nil {
				s.Notify("No snapshot was taken: " + err.Error())
				return
			}
			s.Offer("Snapshot “"+taken.Name+"” of "+account+" taken", "Show", func() {
				s.Navigate(page.Route{Account: account, Page: snapshotsPage}.With("id", taken.ID))
			})
		}
	})
}
