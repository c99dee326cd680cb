//! Cancelling: whoever asked does not want an answer any more.
//!
//! There is one way: a [`Cancel`] is in force on the threads that work for a job, and whatever takes long calls
//! [`alive`] from time to time, a reader as well as a judge. When the switch is used, `alive` unwinds to whoever
//! started the job. Nothing is printed, and everything on the way is dropped: staged files are removed, and
//! transactions are rolled back. What nobody can cancel pays a look at a variable of its thread.
//!
//! What runs on other threads must put the switch in force there: [`Cancel::current`] and [`Cancel::during`].

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A switch that cancels jobs. Clones are one switch.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

/// Whoever asked does not want an answer any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled, and nothing was written")]
pub struct Cancelled;

thread_local! {
    static IN_FORCE: RefCell<Option<Cancel>> = const { RefCell::new(None) };
}

/// Puts back the switch that was in force before, also where that unwinds.
struct Restore(Option<Cancel>);

impl Drop for Restore {
    fn drop(&mut self) {
        let _ = IN_FORCE.replace(self.0.take());
    }
}

impl Cancel {
    /// Cancels every job that was given this switch.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was used.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Whether they are one switch.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The switch that is in force on this thread.
    pub fn current() -> Option<Self> {
        IN_FORCE.with_borrow(Clone::clone)
    }

    /// Puts the switch in force on this thread, until it is dropped with the thread.
    pub fn stay_in_force(&self) {
        let _ = IN_FORCE.replace(Some(self.clone()));
    }

    /// Runs a job on this thread that the switch cancels: it unwinds to here.
    ///
    /// # Errors
    /// When it was cancelled.
    pub fn during<T>(&self, job: impl FnOnce() -> T) -> Result<T, Cancelled> {
        let _restore = Restore(IN_FORCE.replace(Some(self.clone())));
        until_cancelled(job)
    }
}

/// Runs a part of this thread's job that leaves something to tidy up where it is cancelled. Afterwards it goes
/// on: [`Cancelled::unwind`].
///
/// # Errors
/// When it was cancelled.
pub fn until_cancelled<T>(job: impl FnOnce() -> T) -> Result<T, Cancelled> {
    match panic::catch_unwind(AssertUnwindSafe(job)) {
        Ok(answer) => Ok(answer),
        Err(payload) if payload.is::<Cancelled>() => Err(Cancelled),
        Err(payload) => panic::resume_unwind(payload),
    }
}

/// Runs what must not end halfway on this thread: nothing cancels it.
pub fn to_the_end<T>(job: impl FnOnce() -> T) -> T {
    let _restore = Restore(IN_FORCE.take());
    job()
}

/// Whether nobody wants the answer of this thread's job any more.
#[inline]
pub fn is_cancelled() -> bool {
    IN_FORCE.with_borrow(|in_force| in_force.as_ref().is_some_and(Cancel::is_cancelled))
}

/// Unwinds with [`Cancelled`] where nobody wants the answer any more. For loops that take long: once in some
/// thousand rounds is often enough.
#[inline]
pub fn alive() {
    // What is dropped on the way is not disturbed.
    if is_cancelled() && !std::thread::panicking() {
        Cancelled.unwind();
    }
}

/// Calls [`alive`] in every 4,096th round.
#[inline]
pub fn alive_at(round: usize) {
    if round.trailing_zeros() >= 12 {
        alive();
    }
}

impl Cancelled {
    /// Goes on unwinding after [`until_cancelled`].
    #[cold]
    pub fn unwind(self) -> ! {
        panic::resume_unwind(Box::new(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_switch_is_in_force_during_its_job_and_not_after() {
        let (outer, inner) = (Cancel::default(), Cancel::default());
        inner.cancel();
        let found = outer.during(|| {
            alive();
            let of_inner = inner.during(|| {
                alive_at(1);
                alive_at(4096);
            });
            assert_eq!(of_inner, Err(Cancelled));
            alive();
            is_cancelled()
        });
        assert_eq!(found, Ok(false));
        assert!(Cancel::current().is_none());
    }

    #[test]
    fn another_panic_is_no_cancellation() {
        let unwound = panic::catch_unwind(|| {
            Cancel::default().during(|| panic::resume_unwind(Box::new("a bug")))
        });
        let payload: Box<dyn std::any::Any + Send> = match unwound {
            Ok(Ok(()) | Err(Cancelled)) => unreachable!("it panicked"),
            Err(payload) => payload,
        };
        assert_eq!(payload.downcast_ref(), Some(&"a bug"));
        assert!(Cancel::current().is_none());
    }
}
