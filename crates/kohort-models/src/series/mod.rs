//! Models of series of releases: what must hold of everything published about the same people.
