//! How a command is interrupted, and where it runs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::campaign::Campaign;
use crate::files::Failure;
use crate::program::{Ran, wait};
use crate::random::Random;

/// How a command is interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// At once.
    Kill,
    /// With a chance to clean up.
    Terminate,
    /// No file may be longer than so many blocks of 512 bytes.
    FileLimit(usize),
    /// The disk has so many kilobytes left.
    FullDisk(usize),
    /// The user may have so many processes and threads.
    ProcessLimit(usize),
}

impl End {
    /// Any of them; kills most often.
    pub(crate) fn any(random: &mut Random) -> Self {
        match random.below(10) {
            0 => Self::Terminate,
            1 if cfg!(unix) => Self::FileLimit(random.between(0, 400)),
            2 if can_mount() => Self::FullDisk(random.between(0, 500)),
            3 if cfg!(unix) => Self::ProcessLimit(random.between(1, 4)),
            _ => Self::Kill,
        }
    }

    /// What it is counted as.
    pub(crate) fn counted(self) -> &'static str {
        match self {
            Self::Kill => "kills",
            Self::Terminate => "terminations",
            Self::FileLimit(_) => "file size limits",
            Self::FullDisk(_) => "full disks",
            Self::ProcessLimit(_) => "process limits",
        }
    }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}

/// Small disks are file systems in memory, which only root may mount.
fn can_mount() -> bool {
    is_root() && TempDir::new().is_ok_and(|folder| Disk::mount(folder.path()).is_ok())
}

/// A folder to work in, on a disk of its own where that is to fill up.
pub(crate) struct Place {
    // Unmounted before the folder goes.
    disk: Option<Disk>,
    folder: TempDir,
    end: End,
}

impl Place {
    pub(crate) fn new(end: End) -> Result<Self, Failure> {
        let folder = tempfile::tempdir()?;
        let is_small = matches!(end, End::FullDisk(_));
        let disk = is_small.then(|| Disk::mount(folder.path())).transpose()?;
        Ok(Self { disk, folder, end })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// From here on there is space again.
    pub(crate) fn make_room(&self) -> Result<(), Failure> {
        self.disk.as_ref().map_or(Ok(()), |disk| disk.resize(ROOM))
    }
}

/// A file system in memory.
struct Disk(PathBuf);

/// The kilobytes of a disk with space.
const ROOM: usize = 64 * 1024;

impl Disk {
    fn mount(folder: &Path) -> Result<Self, Failure> {
        let size = format!("size={ROOM}k,mode=0700");
        run(Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder))?;
        Ok(Self(folder.to_owned()))
    }

    fn resize(&self, kilobytes: usize) -> Result<(), Failure> {
        let size = format!("remount,size={kilobytes}k");
        run(Command::new("mount").args(["-o", &size]).arg(&self.0))
    }

    /// How many kilobytes are in use.
    fn used(&self) -> Result<usize, Failure> {
        let said = Command::new("df").args(["-k", "--output=used"]).arg(&self.0).output()?.stdout;
        let said = String::from_utf8(said)?;
        Ok(said.lines().last().unwrap_or_default().trim().parse()?)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Nothing more can be done about what stays mounted.
        let _ = run(Command::new("umount").arg("-l").arg(&self.0));
    }
}

fn run(command: &mut Command) -> Result<(), Failure> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned().into())
}

/// What became of a command that was to be interrupted.
pub(crate) enum Interrupted {
    /// It ended by a signal.
    Stopped,
    /// It was done before the signal came.
    TooLate,
    /// It ended by itself, with less than it needed.
    Ended(Ran),
}

/// Runs a command in a place, and ends it at a random moment of the time that it takes otherwise.
pub(crate) fn interrupt(
    campaign: &Campaign,
    place: &Place,
    words: &[String],
    time: Duration,
    random: &mut Random,
) -> Result<Interrupted, Failure> {
    let runner = match place.end {
        End::FileLimit(blocks) => {
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("ulimit -f {blocks}; exec \"$0\" \"$@\"")]);
            shell
        }
        End::FullDisk(kilobytes) => {
            let disk = place.disk.as_ref().expect("it was mounted");
            disk.resize(disk.used()? + kilobytes)?;
            return Ok(Interrupted::Ended(campaign.program.run(place.path(), words)?));
        }
        End::ProcessLimit(most) => limited_processes(place.path(), most)?,
        End::Kill | End::Terminate => return kill(campaign, place, words, time, random),
    };
    let limited = campaign.program.limited(runner, place.path(), words);
    let ran = campaign.program.finish(limited, words)?;
    if let End::FileLimit(_) = place.end {
        // Whoever writes too much is ended by a signal, which is no crash.
        return Ok(Interrupted::Stopped);
    }
    own(place.path(), "0:0")?;
    Ok(Interrupted::Ended(ran))
}

/// What runs a program with few processes: as nobody, since root may have as many as it likes.
fn limited_processes(folder: &Path, most: usize) -> Result<Command, Failure> {
    let limit = format!("--nproc={most}:{most}");
    if !is_root() {
        let mut command = Command::new("prlimit");
        command.arg(limit);
        return Ok(command);
    }
    own(folder, "65534:65534")?;
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "prlimit", &limit]);
    Ok(command)
}

/// Gives a folder and all that is in it to somebody, where root does so.
fn own(folder: &Path, who: &str) -> Result<(), Failure> {
    if is_root() { run(Command::new("chown").args(["-R", who]).arg(folder)) } else { Ok(()) }
}

fn kill(
    campaign: &Campaign,
    place: &Place,
    words: &[String],
    time: Duration,
    random: &mut Random,
) -> Result<Interrupted, Failure> {
    let mut child = campaign.program.start(place.path(), words)?;
    // The last part is where files are put in place.
    let percent =
        u32::try_from(if random.percent(70) { random.between(50, 100) } else { random.below(50) })?;
    std::thread::sleep(time * percent / 100);
    if place.end == End::Terminate {
        let kill = format!("kill -TERM {} 2> /dev/null", child.id());
        Command::new("sh").args(["-c", &kill]).stdin(Stdio::null()).status()?;
    } else {
        child.kill()?;
    }
    let code = wait(child)?.and_then(|status| status.code());
    // Who is asked to end by a signal says so by another status than 0, 1 and 2.
    Ok(if matches!(code, Some(0..=2)) { Interrupted::TooLate } else { Interrupted::Stopped })
}
