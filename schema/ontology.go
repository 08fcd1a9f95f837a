package schema

import _ "embed"

// Ontology is ontology.ttl: the classes and properties of the graph, and their
// alignment with SIOC, schema.org, SKOS and Dublin Core.
//
//go:embed ontology.ttl
var Ontology []byte

// Shapes is shapes.ttl: the SHACL shapes of the classes.
//
//go:embed shapes.ttl
var Shapes []byte
