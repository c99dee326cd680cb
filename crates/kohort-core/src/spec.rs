//! One declaration per item (model, metric, algorithm), from which every surface describes it.

/// What an item is called, where it comes from and what it takes.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// The kebab-case name used in plans, flags and JSON; it never changes once released.
    pub id: &'static str,
    /// The name a person reads.
    pub title: &'static str,
    /// The paper that defines it.
    pub paper: &'static str,
    /// What it promises, in one sentence.
    pub promise: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
}

/// One parameter of an item.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name in plans.
    pub name: &'static str,
    /// The values it may take.
    pub range: &'static str,
    /// What it means, in one line.
    pub doc: &'static str,
}
