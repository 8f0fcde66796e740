//go:build !js

package client

// watch does nothing natively, where pages are only rendered beforehand.
func (c *Control) watch(string, func([]Event)) (stop func()) { return func() {} }
