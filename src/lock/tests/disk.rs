//! The file itself: read as it is, written whole or not at all.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::*;
use crate::lock::store::{Saved, Seen, load, load_any_spelling, save, unchanged_since};
use crate::lock::to_text;

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(FILE);
    (folder, path)
}

fn kind(path: &Path) -> FaultKind {
    load(path).expect_err("not loaded").faults.remove(0).kind
}

/// A lockfile's text, other for each name.
fn text(name: &'static str) -> String {
    to_text(&lockfile([(name, server(stdio("node"), vec![tool(r#"{"name":"a"}"#)]))]))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("readable")
}

fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("readable");
    entries.map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_saved_lockfile_loads_with_its_bytes() {
    let (folder, path) = folder();
    let text = to_text(&example());
    assert_eq!(save(&path, &text, None), Ok(Saved::Written));
    let loaded = load(&path).expect("valid");
    assert!(same(&loaded.lockfile, &example()));
    assert_eq!(loaded.seen, Seen::of(text.as_bytes()));
    assert_eq!(names(&folder), [FILE]);
}

#[test]
fn a_file_of_another_spelling_loads_to_be_rewritten_only() {
    let (_folder, path) = folder();
    let other = text("one").replace("[[server]]", "[[server]] # note");
    fs::write(&path, &other).expect("written");
    assert!(matches!(kind(&path), FaultKind::Spelling { .. }));
    let loaded = load_any_spelling(&path).expect("valid but for its spelling");
    assert_eq!(loaded.seen, Seen::of(other.as_bytes()));
    assert_eq!(save(&path, &to_text(&loaded.lockfile), Some(&loaded.seen)), Ok(Saved::Written));
    assert_eq!(read(&path), text("one"));
}

#[test]
fn no_file_is_not_an_empty_lockfile() {
    let (_folder, path) = folder();
    let error = load(&path).expect_err("missing");
    assert!(error.is_missing());
    let problem = error.problems().remove(0);
    assert!(problem.help.find("--dry-run") < problem.help.find("run `mcp-pin pin`"), "{problem:?}");
}

#[test]
fn what_is_no_readable_file_is_named() {
    let (folder, path) = folder();
    assert_eq!(kind(folder.path()), FaultKind::Folder);
    fs::write(&path, "").expect("written");
    assert_eq!(kind(&path), FaultKind::Empty);
    assert!(matches!(kind(&path.join("x")), FaultKind::Unreadable(_)));
}

#[test]
fn a_file_without_end_is_not_read() {
    let (_folder, path) = folder();
    fs::File::create(&path).expect("created").set_len(crate::lock::MAX_SIZE + 1).expect("sized");
    assert_eq!(kind(&path), FaultKind::TooLarge(crate::lock::MAX_SIZE));
}

#[test]
fn equal_bytes_are_not_written_again() {
    let (_folder, path) = folder();
    save(&path, &text("one"), None).expect("saved");
    let time = || fs::metadata(&path).expect("there").modified().expect("known");
    let before = time();
    std::thread::sleep(std::time::Duration::from_millis(20));
    assert_eq!(save(&path, &text("one"), Some(&Seen::of(text("one").as_bytes()))), Ok(Saved::Unchanged));
    assert_eq!(time(), before);
    assert_eq!(save(&path, &text("two"), Some(&Seen::of(text("one").as_bytes()))), Ok(Saved::Written));
    assert_eq!(read(&path), text("two"));
}

#[test]
fn a_file_that_changed_meanwhile_is_left_alone() {
    let (folder, path) = folder();
    fs::write(&path, "theirs\n").expect("written");
    for expected in [None, Some(&Seen::of(b"before\n"))] {
        let problem = save(&path, &text("ours"), expected).expect_err("changed");
        assert!(problem.cause.contains("changed while mcp-pin ran"), "{problem:?}");
    }
    assert_eq!(read(&path), "theirs\n");
    fs::remove_file(&path).expect("removed");
    assert!(save(&path, &text("ours"), Some(&Seen::of(text("before").as_bytes()))).is_err());
    assert!(names(&folder).is_empty());
}

#[test]
fn a_check_sees_whether_its_file_changed() {
    let (_folder, path) = folder();
    assert!(!unchanged_since(&path, &Seen::of(b"")));
    fs::write(&path, "one").expect("written");
    assert!(unchanged_since(&path, &Seen::of(b"one")));
    assert!(!unchanged_since(&path, &Seen::of(b"two")));
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let (folder, _path) = folder();
    let problem = save(&folder.path().join("no/mcp-tools.lock"), &text("one"), None).expect_err("no folder");
    assert!(problem.help.starts_with("make the folder"), "{problem:?}");
}

#[test]
fn many_writers_leave_one_whole_file_and_one_winner() {
    let (folder, path) = folder();
    fs::write(&path, "base\n").expect("written");
    let texts = ["a", "b", "c", "d", "e", "f", "g", "h"].map(|name| {
        let items = vec![tool(&format!(r#"{{"name":"a","description":"{}"}}"#, name.repeat(100_000)))];
        to_text(&lockfile([(name, server(stdio("node"), items))]))
    });
    let saved: Vec<_> = std::thread::scope(|scope| {
        let writers = texts.each_ref().map(|text| scope.spawn(|| save(&path, text, Some(&Seen::of(b"base\n")))));
        writers.into_iter().map(|writer| writer.join().expect("no panic")).collect()
    });
    assert_eq!(saved.iter().filter(|result| **result == Ok(Saved::Written)).count(), 1, "{saved:?}");
    assert!(texts.contains(&read(&path)));
    assert_eq!(names(&folder), [FILE]);
}

#[test]
fn a_text_that_could_not_be_read_again_is_not_written() {
    let (folder, path) = folder();
    let twice = vec![tool(r#"{"name":"a"}"#), tool(r#"{"name":"a","x":1}"#)];
    for text in
        [to_text(&lockfile([("crm", server(stdio("node"), twice))])), String::new(), format!("{}\n", text("one"))]
    {
        let problem = save(&path, &text, None).expect_err("no lockfile");
        assert!(problem.cause.contains("could not be read again"), "{problem:?}");
    }
    assert!(names(&folder).is_empty());
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("there").permissions().mode() & 0o7777
    }

    #[test]
    fn permissions_stay_and_new_files_have_ordinary_ones() {
        let (_folder, path) = folder();
        save(&path, &text("one"), None).expect("saved");
        assert_eq!(mode(&path) & !0o044, 0o600, "readable for others as the mask allows, writable for none");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o664)).expect("set");
        save(&path, &text("two"), Some(&Seen::of(text("one").as_bytes()))).expect("saved");
        assert_eq!(mode(&path), 0o664);
    }

    #[test]
    fn a_read_only_file_is_not_replaced() {
        let (folder, path) = folder();
        save(&path, &text("one"), None).expect("saved");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("set");
        let problem = save(&path, &text("two"), Some(&Seen::of(text("one").as_bytes()))).expect_err("read-only");
        assert!(problem.cause.ends_with("the file is read-only; the old file, if any, is untouched"), "{problem:?}");
        assert_eq!(read(&path), text("one"));
        assert_eq!(names(&folder), [FILE]);
    }

    #[test]
    fn a_symbolic_link_stays_one() {
        let (folder, path) = folder();
        fs::create_dir(folder.path().join("sub")).expect("made");
        let real = folder.path().join("sub/real.lock");
        symlink("hop.lock", &path).expect("linked");
        symlink("sub/real.lock", folder.path().join("hop.lock")).expect("linked");
        assert_eq!(save(&path, &text("one"), None), Ok(Saved::Written));
        assert_eq!(save(&path, &text("two"), Some(&Seen::of(text("one").as_bytes()))), Ok(Saved::Written));
        assert_eq!(read(&real), text("two"));
        assert!(fs::symlink_metadata(&path).expect("there").is_symlink());
    }

    #[test]
    fn links_in_a_circle_are_an_error() {
        let (_folder, path) = folder();
        symlink(FILE, &path).expect("linked");
        assert!(save(&path, &text("one"), None).expect_err("a circle").cause.contains("too many symbolic links"));
        assert!(matches!(kind(&path), FaultKind::Unreadable(_)));
    }

    #[test]
    fn a_socket_is_no_lockfile() {
        let (_folder, path) = folder();
        let _socket = std::os::unix::net::UnixListener::bind(&path).expect("bound");
        assert_eq!(kind(&path), FaultKind::NotAFile);
        assert!(save(&path, &text("one"), None).is_err());
    }

    #[test]
    fn another_writer_in_the_folder_is_waited_for() {
        let (folder, path) = folder();
        let handle = fs::File::open(folder.path()).expect("opened");
        handle.try_lock().expect("locked");
        let started = std::time::Instant::now();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                std::thread::sleep(std::time::Duration::from_millis(200));
                drop(handle);
            });
            assert_eq!(save(&path, &text("one"), None), Ok(Saved::Written));
        });
        assert!(started.elapsed() >= std::time::Duration::from_millis(200));
    }

    #[test]
    fn another_writer_that_does_not_end_is_named() {
        let (folder, path) = folder();
        let handle = fs::File::open(folder.path()).expect("opened");
        handle.try_lock().expect("locked");
        let problem = save(&path, &text("one"), None).expect_err("busy");
        assert!(problem.cause.contains("another mcp-pin is writing"), "{problem:?}");
        assert!(!path.exists());
    }

    #[test]
    fn a_folder_that_may_not_be_written_to_is_named_and_the_file_stays() {
        if rustix::process::geteuid().is_root() {
            return; // Permissions don't bind root.
        }
        let (folder, path) = folder();
        save(&path, &text("one"), None).expect("saved");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).expect("set");
        let problem = save(&path, &text("two"), Some(&Seen::of(text("one").as_bytes()))).expect_err("read-only");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("set");
        assert!(problem.help.contains("must be writable"), "{problem:?}");
        assert_eq!(read(&path), text("one"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o200)).expect("set");
        assert!(matches!(kind(&path), FaultKind::Unreadable(_)));
    }
}
