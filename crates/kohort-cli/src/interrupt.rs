//! Ctrl-C, a terminal that is closed and SIGTERM: what is half-written goes, and the process ends as if the signal had ended it.

use std::process;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc;
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;

/// Waits for a signal in a thread of its own: what may be done there is not limited, as it is in a
/// signal handler.
pub(crate) fn watch() {
    // A file beyond the limit of the process is then an error of whoever writes it, as a full disk is.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    // Without, a signal ends the process as it does by default, and a temporary file stays.
    let (give, take) = mpsc::channel::<Signals>();
    let wait = move || {
        let Ok(mut signals) = take.recv() else { return };
        if let Some(signal) = signals.forever().next() {
            // Held until the end: no other thread makes a file or prints a failure about one.
            let _removed = kohort::remove_temporaries();
            #[expect(clippy::exit, reason = "the other threads are not asked to end")]
            process::exit(128 + signal);
        }
    };
    // Signals are waited for only where there is a thread to hear them.
    if thread::Builder::new().spawn(wait).is_ok()
        && let Ok(signals) = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM])
    {
        let _ = give.send(signals);
    }
}
