//! The books of a series: what was released, encrypted and chained.
