package browser

import (
	"fmt"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// File is a file that the user has chosen or dropped.
type File struct {
	Name string
	Size int

	value app.Value
	data  []byte // of FileOf
}

// FileOf returns a file that is in memory.
func FileOf(name string, data []byte) File { return File{Name: name, Size: len(data), data: data} }

// FilesIn returns the files of an input element or a drop: the value is the element or
// the event's dataTransfer.
func FilesIn(holder app.Value) []File {
	list := holder.Get("files")
	if !list.Truthy() {
		return nil
	}
	files := make([]File, list.Length())
	for i := range files {
		file := list.Index(i)
		files[i] = File{Name: Text(file, "name"), Size: file.Get("size").Int(), value: file}
	}
	return files
}

// FileIn returns the first file of FilesIn, and whether there is one.
func FileIn(holder app.Value) (File, bool) {
	files := FilesIn(holder)
	if len(files) == 0 {
		return File{}, false
	}
	return files[0], true
}

// Read returns the content. It waits and must not be called inside an event.
func (f File) Read() ([]byte, error) {
	if f.value == nil {
		return f.data, nil
	}
	buffer, err := Await(f.value.Call("arrayBuffer"))
	if err != nil {
		return nil, err
	}
	array := app.Window().Get("Uint8Array").New(buffer)
	data := make([]byte, array.Get("length").Int())
	app.CopyBytesToGo(data, array)
	return data, nil
}

// Part reads some bytes of the content, as Read does.
func (f File) Part(from, to int) ([]byte, error) {
	if f.value == nil {
		return f.data[from:to], nil
	}
	return File{value: f.value.Call("slice", from, to)}.Read()
}

// Fetch reads what an address of this site answers into a file, which the
// browser may keep on disk.
func Fetch(address string) (File, error) {
	response, err := Await(app.Window().Call("fetch", address))
	if err != nil {
		return File{}, err
	}
	if !response.Get("ok").Truthy() {
		return File{}, fmt.Errorf("the answer is %d", response.Get("status").Int())
	}
	blob, err := Await(response.Call("blob"))
	if err != nil {
		return File{}, err
	}
	return File{Size: blob.Get("size").Int(), value: blob}, nil
}

// Offer has the browser save the file under a name.
func (f File) Offer(name string) {
	if f.value != nil {
		offer(f.value, name)
	}
}

// Download is a file that is made in the page and then offered to the user. What
// is written is handed to the browser at once, which may keep it on disk.
type Download struct{ parts app.Value }

// Write appends a part.
func (d *Download) Write(b []byte) (int, error) {
	if d.parts == nil {
		d.parts = app.Window().Get("Array").New()
	}
	bytes := app.Window().Get("Uint8Array").New(len(b))
	app.CopyBytesToJS(bytes, b)
	part := app.Window().Get("Array").New()
	part.Call("push", bytes)
	d.parts.Call("push", app.Window().Get("Blob").New(part))
	return len(b), nil
}

// Save offers the file under a name, which the browser makes safe.
func (d *Download) Save(name, mediaType string) {
	if d.parts == nil {
		_, _ = d.Write(nil)
	}
	offer(app.Window().Get("Blob").New(d.parts, map[string]any{"type": mediaType}), name)
	d.parts = nil
}

// SaveFile offers a file with this content.
func SaveFile(name, mediaType string, content []byte) {
	var d Download
	_, _ = d.Write(content) // never fails
	d.Save(name, mediaType)
}

// offer has the browser save a blob under a name, which it makes safe.
func offer(blob app.Value, name string) {
	address := app.Window().Get("URL").Call("createObjectURL", blob)
	link := app.Window().Get("document").Call("createElement", "a")
	link.Set("href", address)
	link.Set("download", name)
	link.Call("click")
	// The browser reads the address after this turn.
	release := app.FuncOf(func(app.Value, []app.Value) any {
		app.Window().Get("URL").Call("revokeObjectURL", address)
		return nil
	})
	app.Window().Call("setTimeout", release, 60_000)
}
