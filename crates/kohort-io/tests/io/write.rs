//! Files that appear whole or not at all.

use std::fs;
use std::io;
use std::path::Path;

use kohort_io::{Kind, write_atomically};

fn names(folder: &Path) -> Vec<String> {
    let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    fs::read_dir(folder).unwrap().map(name).collect()
}

#[test]
fn a_file_is_made_and_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.csv");
    for text in ["first", "second"] {
        write_atomically(&path, &mut |writer| writer.write_all(text.as_bytes())).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert_eq!(names(folder.path()), ["out.csv"]);
    }
}

#[test]
fn a_failure_leaves_the_target_untouched_and_nothing_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.csv");
    fs::write(&path, "before").unwrap();
    let error = write_atomically(&path, &mut |writer| {
        writer.write_all(b"half")?;
        Err(io::Error::other("no more"))
    })
    .unwrap_err();
    assert!(error.to_string().ends_with("out.csv: cannot be written"));
    assert!(matches!(error.kind(), Kind::Write { .. }));
    assert_eq!(fs::read_to_string(&path).unwrap(), "before");
    assert_eq!(names(folder.path()), ["out.csv"]);
}

#[test]
fn directories_and_missing_folders_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let error = write_atomically(folder.path(), &mut |_| Ok(())).unwrap_err();
    assert!(matches!(error.kind(), Kind::Directory { .. }));
    let path = folder.path().join("missing/out.csv");
    let error = write_atomically(&path, &mut |_| Ok(())).unwrap_err();
    assert!(matches!(error.kind(), Kind::Write { .. }));
}

#[cfg(unix)]
#[test]
fn permissions_and_links_are_kept() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("out.csv"), folder.path().join("link.csv"));
    fs::write(&path, "before").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink(&path, &link).unwrap();
    write_atomically(&link, &mut |writer| writer.write_all(b"after")).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "after");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    write_atomically(Path::new("/dev/null"), &mut |writer| writer.write_all(b"x")).unwrap();
}
