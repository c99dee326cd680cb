//! Attacks on random series against every world, written from the definition alone.
