//go:build !js

package control

// watch does nothing natively, where pages are only rendered beforehand.
func (c *Client) watch(string, func([]Event)) (stop func()) { return func() {} }
