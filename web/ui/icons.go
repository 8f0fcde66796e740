package ui

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// IconName names one of the icons.
type IconName string

// The icons, drawn on a grid of 16.
const (
	IconAccount IconName = `<ellipse cx="8" cy="4" rx="5.6" ry="2.3"/><path d="M2.4 4v8c0 1.3 2.5 2.3 5.6 2.3s5.6-1 5.6-2.3V4M2.4 8c0 1.3 2.5 2.3 5.6 2.3s5.6-1 5.6-2.3"/>`
	IconTable   IconName = `<rect x="1.7" y="2.2" width="12.6" height="11.6" rx="2"/><path d="M1.7 6h12.6M6 6v7.8"/>`
	IconPlus    IconName = `<path d="M8 3v10M3 8h10"/>`
	IconClose   IconName = `<path d="M4 4l8 8M12 4l-8 8"/>`
	IconMenu    IconName = `<path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11"/>`
	IconRefresh IconName = `<path d="M13.2 8a5.2 5.2 0 1 1-1.6-3.8M13.4 1.8v3h-3"/>`
	IconTrash   IconName = `<path d="M2.5 4.2h11M6 4V2.4h4V4M4 4.4l.6 9h6.8l.6-9M6.7 7v4M9.3 7v4"/>`
	IconCopy    IconName = `<rect x="5.4" y="5.4" width="8.2" height="8.2" rx="1.6"/><path d="M10.6 5V3.6A1.2 1.2 0 0 0 9.4 2.4H3.6a1.2 1.2 0 0 0-1.2 1.2v5.8a1.2 1.2 0 0 0 1.2 1.2H5"/>`
	IconDone    IconName = `<path d="M3 8.6l3.2 3.2L13 4.6"/>`
	IconFile    IconName = `<path d="M4 1.8h5.2L12.6 5v9.2H4zM9 1.8V5.2h3.6"/>`
	IconShare   IconName = `<path d="M8 9.8V2M5.2 4.6L8 1.8l2.8 2.8M3 8v5.6h10V8"/>`
	IconTab     IconName = `<path d="M9 2.4h4.6V7M13.4 2.6L7.6 8.4M6.4 3.2H2.6v10.2h10.2V9.6"/>`
	IconNext    IconName = `<path d="M6 3.4L10.6 8 6 12.6"/>`
	IconPlug    IconName = `<path d="M5.5 2v3.5M10.5 2v3.5M3.5 5.5h9v2a4.5 4.5 0 0 1-9 0zM8 12v2.5"/>`
	IconLight   IconName = `<circle cx="8" cy="8" r="2.9"/><path d="M8 1.4v1.6M8 13v1.6M1.4 8H3M13 8h1.6M3.3 3.3l1.2 1.2M11.5 11.5l1.2 1.2M12.7 3.3l-1.2 1.2M4.5 11.5l-1.2 1.2"/>`
	IconDark    IconName = `<path d="M13.4 9.6A5.8 5.8 0 0 1 6.4 2.6a5.8 5.8 0 1 0 7 7z"/>`
	IconSystem  IconName = `<circle cx="8" cy="8" r="5.8"/><path d="M8 2.2a5.8 5.8 0 0 1 0 11.6z" fill="currentColor"/>`
	IconUp      IconName = `<path d="M4 9.5l4-4 4 4"/>`
	IconDown    IconName = `<path d="M4 6.5l4 4 4-4"/>`
	IconSearch  IconName = `<circle cx="7" cy="7" r="4.6"/><path d="M10.5 10.5l3.7 3.7"/>`
	IconHistory IconName = `<path d="M2.4 8a5.6 5.6 0 1 0 1.8-4.1M2.4 2v2.6H5M8 5v3.2l2.2 1.4"/>`
	IconPulse   IconName = `<path d="M1.5 8.5h3l2-5.5 3 10 2-4.5h3"/>`
	IconCode    IconName = `<rect x="1.7" y="2.2" width="12.6" height="11.6" rx="2"/><path d="M4.6 6l2.4 2.2-2.4 2.2M8.4 10.6h3"/>`
	IconBook    IconName = `<path d="M8 3.6C6.4 2.6 4.4 2.3 2 2.4v10.2c2.4-.1 4.4.2 6 1.2 1.6-1 3.6-1.3 6-1.2V2.4c-2.4-.1-4.4.2-6 1.2zM8 3.6v10.2"/>`
	IconKey     IconName = `<circle cx="5" cy="8" r="3"/><path d="M8 8h6M12 8v2.6M14 8v2"/>`
	IconCloud   IconName = `<path d="M4.6 12.6a3 3 0 0 1-.3-6 4.2 4.2 0 0 1 8.1 1.1 2.5 2.5 0 0 1-.5 4.9z"/>`
	IconWarning IconName = `<path d="M8 2.2l6.2 11H1.8zM8 6.6v3M8 11.4v.1"/>`
)

// Icon draws an icon. It says nothing to a screen reader: what is next to
// it, or the label of its button, does.
func Icon(name IconName) app.UI {
	return app.Raw(`<span class="icon" aria-hidden="true"><svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.4" stroke-linecap="round" stroke-linejoin="round">` + string(name) + `</svg></span>`)
}

// Logo draws the product's mark.
func Logo() app.UI {
	return app.Raw(`<svg class="logo-mark" viewBox="0 0 20 20" fill="none" aria-hidden="true"><path class="logo-ink" d="M7 15.2c2.2 0 2.6-3.2 5-3.2s3 2.2 6.4 2.2v2a3 3 0 0 1-3 3H7z"/><rect x="1.2" y="1.2" width="17.6" height="17.6" rx="4" stroke="currentColor" stroke-width="1.6"/><path d="M1.8 7h16.4M7 7v11.4" stroke="currentColor" stroke-width="1.4"/></svg>`)
}
