package schema

import _ "embed"

// Ontology is ontology.ttl: the classes and properties of the graph, and how
// they stand to those of SIOC, schema.org, SKOS and Dublin Core.
//
//go:embed ontology.ttl
var Ontology []byte

// Shapes is shapes.ttl: SHACL shapes that say what each class must have.
//
//go:embed shapes.ttl
var Shapes []byte
