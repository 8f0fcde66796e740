package shell

import "sandtable/web/client"

// remotes are the accounts of other endpoints to which the user has connected.
type remotes struct {
	all []client.Remote
}

func (r *remotes) find(id string) (client.Remote, bool) {
	for _, one := range r.all {
		if one.ID() == id {
			return one, true
		}
	}
	return client.Remote{}, false
}
