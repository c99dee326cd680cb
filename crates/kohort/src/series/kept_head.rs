//! The head of a ledger, kept outside of it: what tells that an older copy was put in the ledger's place.
//!
//! Without it an older copy is a ledger like any other, and the next release is made as if what was published
//! since had not been: the people in it are protected against the older releases alone.

use kohort_core::{Message, Setting, message};
use std::path::{Path, PathBuf};

use kohort_ledger::{Hash, Ledger};

use crate::Error;
use crate::error::refused;
use crate::release::No;

/// Where the head of a ledger is kept.
#[derive(Clone, Debug)]
pub enum KeptHead {
    /// Nowhere.
    Nowhere,
    /// By whoever asks: the ledger must have been at this head.
    Known(Hash),
    /// In a file.
    File(PathBuf),
    /// In a file of this folder that has the name of the ledger, see [`Ledger::id`].
    Folder(PathBuf),
}

impl KeptHead {
    /// The file with the head, where there is one.
    fn file(&self, ledger: &Ledger) -> Option<PathBuf> {
        match self {
            Self::Nowhere | Self::Known(_) => None,
            Self::File(file) => Some(file.clone()),
            Self::Folder(folder) => Some(folder.join(ledger.id())),
        }
    }

    /// The head that the ledger must have been at, where one is known.
    fn known(&self, ledger: &Ledger) -> Result<Option<Hash>, Error> {
        if let Self::Known(head) = self {
            return Ok(Some(*head));
        }
        let Some(file) = self.file(ledger).filter(|file| kohort_io::is_there(file)) else {
            return Ok(None);
        };
        let text = kohort_io::read_text(&file)?;
        let no_head = |_| {
            let problem = format!("{}: must hold the head of a ledger, 64 digits", file.display());
            refused(problem, "take the head from the receipt of the last release")
        };
        text.trim().parse().map(Some).map_err(no_head)
    }

    /// What to know where no head is known: nobody can tell then that the ledger is an older copy.
    pub(super) fn unknown(&self, ledger: &Ledger) -> Result<Option<Message>, Error> {
        let is_known = self.known(ledger)?.is_some();
        let place = match self.file(ledger) {
            Some(file) => format!(" in {}", file.display()),
            None => String::new(),
        };
        Ok((!is_known).then(|| {
            message!(
                "no head of this ledger is kept{place}: an older copy put in its place would not be noticed; \
                 give the head of the last receipt with {}",
                Setting::Head
            )
        }))
    }

    /// Why the ledger is not the one whose head is known, where it is not.
    pub(super) fn older_copy(&self, ledger: &Ledger, path: &Path) -> Result<Option<No>, Error> {
        let Some(head) = self.known(ledger)? else { return Ok(None) };
        if ledger.has_been_at(&head)? {
            return Ok(None);
        }
        let place = match self.file(ledger) {
            Some(file) => format!("the head that {} holds", file.display()),
            None => "the head that was given".to_owned(),
        };
        let way_on = match self.file(ledger) {
            Some(file) => format!("remove {} to go on with the older copy", file.display()),
            None => "leave the head out to go on with the older copy".to_owned(),
        };
        Ok(Some(No {
            problem: format!("{} is an older copy of the ledger", path.display()),
            causes: vec![
                format!("the ledger has never been at {place}"),
                "releases that were published after the copy was made are not in it: a next \
                 release would not protect people against them"
                    .to_owned(),
            ],
            hint: message!("put the newest copy of the ledger back; or, if it is lost, {way_on}"),
            ..No::default()
        }))
    }

    /// Keeps the head that the ledger has come to.
    pub(super) fn keep(&self, ledger: &Ledger) -> Result<(), Error> {
        let Some(file) = self.file(ledger) else { return Ok(()) };
        let head = ledger.head()?;
        if let Self::Folder(folder) = self {
            kohort_io::create_private_folder(folder)?;
        }
        // Whoever writes it decides which older copy is taken for the ledger.
        Ok(kohort_io::write_privately(&file, &mut |out| writeln!(out, "{head}"))?)
    }
}
