// Package xmlscan is a pull parser for XML 1.0 with namespaces, as far as the
// documents of the Table service need it: Atom entries, access policies and
// service properties.
//
// It refuses document types, so only the five predefined entities exist. Its
// depth is bounded, its time is linear in the length of the document, and its
// memory does not depend on the number of elements. The standard library's
// decoder accepts malformed XML (two roots, duplicate attributes), refuses what
// the service accepts (a reference to U+0001), and links reflection.
//
// Source: "Extensible Markup Language (XML) 1.0" and "Namespaces in XML 1.0",
// https://www.w3.org/TR/xml/.
package xmlscan
