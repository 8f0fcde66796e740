package page

import "context"

// Queue runs work in the background of the session, one piece at a time and in order, so
// that the last of several quick choices wins. Only go-app's goroutine may use it.
type Queue struct{ last <-chan struct{} }

// Background is [Session.Background], but the work waits until the previous one has ended.
func (q *Queue) Background(s Session, work func(context.Context) func()) {
	before, ended := q.last, make(chan struct{})
	q.last = ended
	s.Background(func(c context.Context) func() {
		defer close(ended)
		if before != nil {
			<-before
		}
		return work(c)
	})
}

// SetAccess changes what unsigned requests to an account may do.
func (q *Queue) SetAccess(s Session, account, access string) {
	q.Background(s, func(c context.Context) func() {
		err := s.Control().SetAccess(c, account, access)
		return func() {
			if err != nil {
				s.Notify("The account was not changed: " + err.Error())
			}
			s.WroteTo(account)
		}
	})
}
