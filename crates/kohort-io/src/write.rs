//! Files that appear whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process;

use crate::{Error, Kind};

/// Writes a file beside its target and moves it there once `fill` has succeeded and the bytes are on
/// the disk. On failure the target is untouched. A target that is no file, such as a pipe, is
/// written directly.
pub fn write_atomically(
    path: &Path,
    fill: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    let shown = || path.display().to_string();
    write(path, fill).map_err(|source| {
        Error::new(match source.kind() {
            ErrorKind::IsADirectory => Kind::Directory { path: shown() },
            _ => Kind::Write { path: shown(), source },
        })
    })
}

fn write(path: &Path, fill: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    // A link stays a link: the file it leads to is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let existing = fs::metadata(&target).ok();
    match &existing {
        Some(metadata) if metadata.is_dir() => return Err(ErrorKind::IsADirectory.into()),
        Some(metadata) if !metadata.is_file() => {
            let mut writer = BufWriter::new(OpenOptions::new().write(true).open(&target)?);
            fill(&mut writer)?;
            return writer.flush();
        }
        _ => {}
    }
    let (file, temporary) = Temporary::beside(&target)?;
    if let Some(metadata) = existing {
        file.set_permissions(metadata.permissions())?;
    }
    let mut writer = BufWriter::new(file);
    fill(&mut writer)?;
    writer.into_inner()?.sync_all()?;
    temporary.rename(&target)
}

/// A file that is removed unless it is renamed.
struct Temporary {
    path: Option<PathBuf>,
}

impl Temporary {
    fn beside(target: &Path) -> io::Result<(File, Self)> {
        let name = target.file_name().ok_or(ErrorKind::InvalidInput)?;
        let mut attempt = 0;
        loop {
            let mut hidden = std::ffi::OsString::from(".");
            hidden.push(name);
            hidden.push(format!(".{}-{attempt}.tmp", process::id()));
            let path = target.with_file_name(hidden);
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((file, Self { path: Some(path) })),
                Err(error) if error.kind() == ErrorKind::AlreadyExists && attempt < 1000 => {
                    attempt += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn rename(mut self, target: &Path) -> io::Result<()> {
        if let Some(path) = self.path.take() {
            fs::rename(&path, target).inspect_err(|_| self.path = Some(path))?;
        }
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // Nothing more can be done about a file that cannot be removed.
            let _ = fs::remove_file(path);
        }
    }
}
