//go:build !js

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// packed is the time of all files in archives, so that the same files give the same
// archive. It is the first that a zip can have.
var packed = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// mode returns the permissions of a file in an archive.
func mode(name string) int64 {
	if strings.HasPrefix(filepath.Base(name), "sandtable") {
		return 0o755
	}
	return 0o644
}

// writeTar writes files into a folder of a compressed archive.
func writeTar(path, folder string, files []string) error {
	var b bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(compressed)
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		header := &tar.Header{Name: folder + "/" + filepath.Base(name), Mode: mode(name), Size: int64(len(content)), ModTime: packed, Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(content); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	if err := compressed.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// writeZip is writeTar for Windows.
func writeZip(path, folder string, files []string) error {
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		header := &zip.FileHeader{Name: folder + "/" + filepath.Base(name), Method: zip.Deflate, Modified: packed}
		header.SetMode(os.FileMode(mode(name)))
		w, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := w.Write(content); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}
