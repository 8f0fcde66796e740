// Package xmlscan reads XML 1.0 with namespaces from the left, as far as the
// documents of the Table service need it: Atom entries, access policies and
// service properties.
//
// It takes no document types, and so no entities but the five of XML; it is
// bounded in depth and linear in the length of what it reads. The standard
// library's decoder takes more, among it what is no XML (two roots, an
// attribute twice), refuses what the service takes (a reference to U+0001),
// and brings reflection into the program.
//
// Source: "Extensible Markup Language (XML) 1.0" and "Namespaces in XML 1.0",
// https://www.w3.org/TR/xml/.
package xmlscan
