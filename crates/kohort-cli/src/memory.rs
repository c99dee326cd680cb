//! How memory goes back to the system.

/// Below this many bytes memory is kept for the next who asks.
const LARGE: i32 = 512 << 10;

/// Columns that are let go of are given back at once. Otherwise glibc learns from the first large ones to
/// keep later ones of their size, between what still lives: a tenth of all that a large table needs.
#[expect(unsafe_code, reason = "`mallopt` is C, and called before there is a second thread")]
pub(crate) fn give_back_columns() {
    // SAFETY: it takes two numbers, and no other thread allocates yet. What it answers does not matter:
    // where it fails, all stays as it is.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
    }
}
