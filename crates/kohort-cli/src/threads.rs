//! The threads that calculate: as many as are asked for, and fewer where the system gives no more.

use std::sync::mpsc;
use std::thread;

use rayon::{ThreadBuilder, ThreadPoolBuildError, ThreadPoolBuilder};

/// Starts this many threads, or one for each core. Where the user may not have that many, those that there are
/// do the work, and where there is none, the thread that asks: the answer is the same with any number.
pub(crate) fn start(asked: Option<usize>) -> Result<(), ThreadPoolBuildError> {
    let n_threads = asked.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    let mut idle = Vec::new();
    // A pool that could not start one of its threads would be none, and there is only one attempt at it.
    for _ in 0..n_threads {
        let (give, take) = mpsc::channel::<ThreadBuilder>();
        let work = move || {
            if let Ok(worker) = take.recv() {
                worker.run();
            }
        };
        if thread::Builder::new().spawn(work).is_err() {
            break;
        }
        idle.push(give);
    }
    let pool = ThreadPoolBuilder::new().num_threads(idle.len().max(1));
    if idle.is_empty() {
        return pool.use_current_thread().build_global();
    }
    let start = |worker| {
        let given = idle.pop().map(|give| give.send(worker));
        given.and_then(Result::ok).ok_or_else(|| std::io::ErrorKind::WouldBlock.into())
    };
    pool.spawn_handler(start).build_global()
}
