//go:build !js

package control

// watch only starts natively, where pages are rendered beforehand.
func (c *Client) watch(_ string, f func([]Event)) (stop func()) {
	f([]Event{{Kind: "start", Data: []byte("{}")}})
	return func() {}
}
