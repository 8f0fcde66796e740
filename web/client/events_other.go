//go:build !js

package client

// Watch does nothing natively, where pages are only rendered beforehand.
func (c *Control) Watch(func([]Event)) (stop func()) { return func() {} }
