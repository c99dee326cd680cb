//! Bytes of the file that say nothing are zero: made so in every commit, and looked at in every check.
//!
//! # Method
//! 1. Before a commit the unused bytes of each page that the transaction may have changed are set to zero, in
//!    the same transaction: `sqlite_dbpage` shows and takes pages as the transaction sees them. So they are
//!    committed, or rolled back, with all else.
//! 2. The list of free pages is made one of trunks without leaves. What stood on a leaf is not in the journal
//!    when SQLite uses the page again, and a process that is killed then leaves what it wrote there, on a page
//!    that is free; a trunk is in the journal.
//! 3. After the file was written anew (`VACUUM`) all of it is scrubbed, in the commit that says that this is
//!    done; until then nothing is checked.
//! 4. A check follows every tree and list, and finds a byte that is not what scrubbing makes of it.
//!
//! # Where SQLite does not show pages
//! `sqlite_dbpage` is there only if SQLite was compiled with `SQLITE_ENABLE_DBPAGE_VTAB`: this repository sets
//! it in `.cargo/config.toml`, and a program elsewhere that depends on this crate can set it in the same way.
//! In a build without it nothing here is done, and the head of the ledger says that the file is not scrubbed
//! (see [`Head::is_scrubbed`]): until a build with pages opens it, writes the file anew and scrubs all of it, a
//! check covers every byte that somebody reads, and not those that nobody reads. What is erased is gone all the
//! same: `secure_delete` overwrites it, and the file is then written anew.
//!
//! # Which pages a transaction changes
//! Those of the trees it writes to, the first page, and the front of the list of free pages. A row at the end
//! of the log changes the last page of each level and, where that is full, two pages before and the few that
//! they become.

use rusqlite::{Connection, OptionalExtension, params};

use crate::book::Head;
use crate::pages::{self, Tree};
use crate::{Error, Kind};

/// The tables that a use writes to besides the log.
pub(crate) const USED: &[&str] = &["head", "lock"];

/// The tables that the second commit of a release writes to besides the log.
pub(crate) const PUBLISHED: &[&str] = &["head", "pending", "state", "person", "erased"];

/// How many pages at the end of each level of the log are looked at. SQLite moves rows between three pages
/// at a time, which become five at most.
const N_LAST: usize = 16;

/// More levels than any tree of SQLite has.
const N_LEVELS: usize = 20;

/// Fields of the header of the file that are the same in every ledger, by where they begin: the format and
/// its reserved bytes, the format of the schema and the suggested cache, roots for vacuuming and UTF-8, no
/// incremental vacuuming, and what is reserved. SQLite does not look at all of them.
const FIXED: [(usize, &[u8]); 4] = [
    (18, &[1, 1, 0, 64, 32, 32]),
    (44, &[0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
    (64, &[0; 4]),
    (72, &[0; 20]),
];

/// Sets the unused bytes of the whole file to zero, in the transaction that is open.
pub(crate) fn all(connection: &Connection) -> Result<(), Error> {
    if !shows_pages(connection)? {
        return Ok(());
    }
    Walk::new(connection, Mode::Wipe)?.all()
}

/// Sets the unused bytes to zero where a transaction that wrote to the log and to these tables may have left
/// any, in that transaction.
pub(crate) fn after_writing(connection: &Connection, tables: &[&str]) -> Result<(), Error> {
    if !shows_pages(connection)? {
        return Ok(());
    }
    let mut walk = Walk::new(connection, Mode::Wipe)?;
    let root = |table: &str| -> Result<u32, Error> {
        let sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
        Ok(connection.prepare_cached(sql)?.query_row([table], |row| row.get(0))?)
    };
    walk.page(1, true)?;
    for table in tables {
        walk.tree(root(table)?, false, N_LEVELS)?;
    }
    walk.last_pages(root("log")?)?;
    walk.free_pages()
}

/// Finds a byte that nobody reads and that is not what was written. To be asked in a transaction that has
/// changed nothing, of a file whose structure holds; the head says what SQLite wrote in the header, and whether
/// the file was scrubbed.
pub(crate) fn look(connection: &Connection, head: &Head) -> Result<(), Error> {
    if !shows_pages(connection)? || !head.is_scrubbed() {
        return Ok(());
    }
    let mut walk = Walk::new(connection, Mode::Look)?;
    walk.look_at_header(head)?;
    walk.look_at_length()?;
    let sql = "SELECT count(*) = max(rowid) AND min(rowid) = 1 FROM sqlite_schema";
    if !connection.query_row(sql, [], |row| row.get::<_, bool>(0))? {
        return Err(Kind::altered("the schema").into());
    }
    walk.all()
}

/// Whether the fields of the header that are the same in every ledger are, as far as this build can see them.
pub(crate) fn has_plain_header(connection: &Connection) -> Result<bool, Error> {
    if !shows_pages(connection)? {
        return Ok(true);
    }
    let header = Walk::new(connection, Mode::Look)?.first;
    Ok(FIXED.iter().all(|&(at, expected)| header[at..].starts_with(expected)))
}

/// Whether this build of SQLite shows the pages of a file.
pub(crate) fn shows_pages(connection: &Connection) -> Result<bool, Error> {
    let sql = "SELECT sqlite_compileoption_used('ENABLE_DBPAGE_VTAB')";
    Ok(connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}

/// What is done about a byte that says nothing and is not zero.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// It is set to zero. A page that is not understood is left as it is: a check will find it.
    Wipe,
    /// It is found.
    Look,
}

/// A walk over pages of the file.
struct Walk<'a> {
    connection: &'a Connection,
    mode: Mode,
    /// The first page as it was when the walk began.
    first: Vec<u8>,
    /// How many pages may still be visited, so that a list that bites its tail has an end.
    n_left: u32,
}

impl<'a> Walk<'a> {
    fn new(connection: &'a Connection, mode: Mode) -> Result<Self, Error> {
        let n_left = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
        let first = read(connection, 1)?.ok_or_else(|| Kind::altered("the header of the file"))?;
        Ok(Self { connection, mode, first, n_left })
    }

    fn number(&self, at: usize) -> u32 {
        pages::number(&self.first, at).expect("a page is longer than the header")
    }

    /// A page, if it is one that may be visited.
    fn visit(&mut self, page: u32) -> Result<Option<Vec<u8>>, Error> {
        let Some(n_left) = self.n_left.checked_sub(1) else { return Ok(None) };
        self.n_left = n_left;
        read(self.connection, page)
    }

    /// Makes a page what it must be, or finds that it is not.
    fn settle(&self, page: u32, found: &[u8], expected: &[u8]) -> Result<(), Error> {
        match self.mode {
            _ if found == expected => Ok(()),
            Mode::Look => self.odd(page),
            Mode::Wipe => {
                let sql = "UPDATE sqlite_dbpage SET data = ?2 WHERE pgno = ?1";
                self.connection.prepare_cached(sql)?.execute(params![page, expected])?;
                Ok(())
            }
        }
    }

    /// A page that is not understood.
    fn odd(&self, page: u32) -> Result<(), Error> {
        match self.mode {
            Mode::Wipe => Ok(()),
            Mode::Look => Err(Kind::altered(format!("page {page} of the file")).into()),
        }
    }

    /// All trees and the list of free pages.
    fn all(&mut self) -> Result<(), Error> {
        let sql = "SELECT 1 UNION ALL SELECT rootpage FROM sqlite_schema";
        let mut statement = self.connection.prepare(sql)?;
        let roots: Vec<u32> =
            statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        for root in roots {
            self.tree(root, root == 1, N_LEVELS)?;
        }
        self.free_pages()
    }

    /// A tree of so many levels at most, and the largest key in it. Keys that part its pages are the largest
    /// before them, as rows of tables are deleted at their end alone.
    fn tree(
        &mut self,
        root: u32,
        is_of_schema: bool,
        n_levels: usize,
    ) -> Result<Option<u64>, Error> {
        if n_levels == 0 {
            return self.odd(root).map(|()| None);
        }
        let Some(tree) = self.page(root, is_of_schema)? else { return Ok(None) };
        let mut last = tree.last;
        for (child, key) in tree.children {
            last = self.tree(child, is_of_schema, n_levels - 1)?;
            if key.is_some() && key != last {
                self.odd(root)?;
            }
        }
        Ok(last)
    }

    /// The pages at the end of a tree, on each of its levels.
    fn last_pages(&mut self, root: u32) -> Result<(), Error> {
        let mut level = vec![root];
        for _ in 0..N_LEVELS {
            let mut below = Vec::new();
            for page in level {
                let children = self.page(page, false)?.map(|tree| tree.children);
                below.extend(children.into_iter().flatten().map(|(child, _)| child));
            }
            level = below.split_off(below.len().saturating_sub(N_LAST));
        }
        Ok(())
    }

    /// A page of a tree and the payloads that begin on it.
    fn page(&mut self, page: u32, is_of_schema: bool) -> Result<Option<Tree>, Error> {
        let bytes = self.visit(page)?;
        let tree =
            bytes.as_deref().and_then(|it| Some((it, Tree::read(it, page == 1, is_of_schema)?)));
        let Some((bytes, tree)) = tree else { return self.odd(page).map(|()| None) };
        self.settle(page, bytes, &tree.wiped(bytes))?;
        for &(first, n_bytes) in &tree.overflows {
            self.payload(first, n_bytes)?;
        }
        Ok(Some(tree))
    }

    /// The pages on which a payload goes on.
    fn payload(&mut self, first: u32, n_bytes: usize) -> Result<(), Error> {
        let (mut page, mut left) = (first, n_bytes);
        while left > 0 {
            let Some(bytes) = self.visit(page)? else { return self.odd(page) };
            let (wiped, next, rest) = pages::continued(&bytes, left);
            self.settle(page, &bytes, &wiped)?;
            (page, left) = (next, rest);
        }
        Ok(())
    }

    /// The list of free pages, made one of trunks without leaves. Wherever it was scrubbed before, leaves are
    /// at its front: SQLite takes pages from the first trunk and gives them to it. The first may have lost
    /// the last of its leaves again.
    fn free_pages(&mut self) -> Result<(), Error> {
        let mut trunk = self.number(32);
        let mut is_first = true;
        while trunk != 0 {
            let found = self.visit(trunk)?;
            let read = found.as_deref().and_then(|it| Some((it, pages::trunk(it)?)));
            let Some((bytes, (next, leaves))) = read else { return self.odd(trunk) };
            if self.mode == Mode::Wipe && leaves.is_empty() && !is_first {
                return Ok(());
            }
            if !self.free_leaves(&leaves, next)? {
                return self.odd(trunk);
            }
            let second = leaves.first().copied().unwrap_or(next);
            self.settle(trunk, bytes, &pages::bare_trunk(bytes.len(), second))?;
            (trunk, is_first) = (next, false);
        }
        Ok(())
    }

    /// Makes the leaves of a trunk trunks of their own, and says whether they were free: `secure_delete` has
    /// left nothing on them, and a page on which anything stands may be in use, whatever the trunk says.
    fn free_leaves(&mut self, leaves: &[u32], next: u32) -> Result<bool, Error> {
        let mut found = Vec::with_capacity(leaves.len());
        for &leaf in leaves {
            match self.visit(leaf)? {
                Some(bytes) if bytes.iter().all(|&byte| byte == 0) => found.push(bytes),
                _ => return Ok(false),
            }
        }
        let following = leaves.iter().skip(1).copied().chain([next]);
        for ((&leaf, bytes), next) in leaves.iter().zip(&found).zip(following) {
            self.settle(leaf, bytes, &pages::bare_trunk(bytes.len(), next))?;
        }
        Ok(true)
    }

    /// What SQLite counts in the header of the file. One that was made in memory and not used since was
    /// changed by nobody.
    fn look_at_header(&self, head: &Head) -> Result<(), Error> {
        let n_changes = self.number(24);
        let is_as_written = self.number(92) == n_changes
            && self.number(28) == self.n_left
            && self.number(40) == head.schema_cookie
            && self.number(96) == if n_changes == 0 { 0 } else { head.sqlite_version };
        if is_as_written { Ok(()) } else { Err(Kind::altered("the header of the file").into()) }
    }

    /// Nothing is behind the last page.
    fn look_at_length(&self) -> Result<(), Error> {
        let path = self.connection.path().unwrap_or_default();
        let found = std::fs::metadata(path).map_err(|_| Kind::NotFound)?.len();
        if found == u64::from(self.n_left) * self.first.len() as u64 {
            return Ok(());
        }
        Err(Kind::altered("the length of the file").into())
    }
}

fn read(connection: &Connection, page: u32) -> Result<Option<Vec<u8>>, Error> {
    let sql = "SELECT data FROM sqlite_dbpage WHERE pgno = ?1";
    Ok(connection.prepare_cached(sql)?.query_row([page], |row| row.get(0)).optional()?)
}

#[cfg(test)]
mod tests;
