//! The lockfile on the disk: read as it is, written whole or not at all.
//!
//! A writer says which bytes it has seen; if others lie there now, somebody else was faster and nothing is written. Nor is a
//! text written that [`load`] would refuse. This part knows files, and of lockfiles only that there is a text to prove.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;

use super::{FaultKind, LockError, Lockfile, MAX_SIZE, parse, parse_any_spelling, parse_bytes};
use crate::problem::Problem;

/// A lockfile that was read, and what its file was then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// What it holds.
    pub lockfile: Lockfile,
    /// Its exact bytes, for [`save`] and [`unchanged_since`].
    pub seen: Seen,
}

/// The bytes of a file as somebody saw them: their SHA-256, for a lockfile is as large as all that its servers say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen([u8; 32]);

impl Seen {
    /// Of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest in hexadecimal digits, as `sha256sum` prints it.
    pub fn sha256(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// What [`save`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saved {
    /// The file already had these bytes and wasn't touched.
    Unchanged,
    /// The file has these bytes now.
    Written,
}

/// Reads and proves a lockfile.
///
/// # Errors
/// When there is none, it can't be read, or it isn't exactly what the writer would write.
pub fn load(path: &Path) -> Result<Loaded, LockError> {
    let bytes = read_bytes(path)?;
    let lockfile = parse_bytes(&bytes, &path.to_string_lossy())?;
    Ok(Loaded { lockfile, seen: Seen::of(&bytes) })
}

/// [`load`] that accepts other spellings of the same content, to rewrite them.
///
/// # Errors
/// As for [`load`], but for the spelling.
pub fn load_any_spelling(path: &Path) -> Result<Loaded, LockError> {
    let bytes = read_bytes(path)?;
    let lockfile = parse_any_spelling(&bytes, &path.to_string_lossy())?;
    Ok(Loaded { lockfile, seen: Seen::of(&bytes) })
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, LockError> {
    bytes_of(path).map_err(|kind| LockError::of(&path.to_string_lossy(), kind, None))
}

/// Whether the file still has the bytes that were seen before; false also if it can't be read.
pub fn unchanged_since(path: &Path, seen: &Seen) -> bool {
    let now = || -> io::Result<Seen> {
        // Before opening: a pipe would wait for its other end. In pieces: the whole is as large as the check itself.
        if !fs::metadata(path)?.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mut hash = Sha256::new();
        let mut file = File::open(path)?.take(MAX_SIZE + 1);
        let mut piece = vec![0; 64 << 10];
        loop {
            match file.read(&mut piece)? {
                0 => return Ok(Seen(hash.finalize().into())),
                count => hash.update(&piece[..count]),
            }
        }
    };
    now().is_ok_and(|now| now == *seen)
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, FaultKind> {
    let fault = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => FaultKind::Missing,
        _ => FaultKind::Unreadable(error.to_string()),
    };
    // Before opening: a pipe would wait for its other end.
    let metadata = fs::metadata(path).map_err(fault)?;
    if metadata.is_dir() {
        return Err(FaultKind::Folder);
    }
    if !metadata.is_file() {
        return Err(FaultKind::NotAFile);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len().min(MAX_SIZE)).unwrap_or_default());
    // One byte more than allowed: the file may have grown since.
    File::open(path).and_then(|file| file.take(MAX_SIZE + 1).read_to_end(&mut bytes)).map_err(fault)?;
    if bytes.len() as u64 > MAX_SIZE {
        return Err(FaultKind::TooLarge(MAX_SIZE));
    }
    Ok(bytes)
}

/// Makes `text` the file's content, if the file is still what it was: `expected` are the bytes that were seen before, or
/// `None` if there was no file.
///
/// The text is written beside the file, made durable and renamed into place, so that a reader or a crash meets the old
/// file or the new one. A symbolic link stays one; permissions stay. No second `save` in this folder runs meanwhile.
///
/// # Errors
/// When [`load`] would refuse the text, the file isn't `expected` any more or is read-only, or the system refuses. The old
/// file is untouched then.
pub fn save(path: &Path, text: &str, expected: Option<&Seen>) -> Result<Saved, Problem> {
    if text.len() as u64 > MAX_SIZE {
        return Err(too_large(path));
    }
    parse(text, &path.to_string_lossy()).map_err(|error| unreadable(path, &error))?;
    let target = follow_links(path).map_err(|error| failed(path, &error))?;
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // Held until the end of this function, and freed by the system if we die.
    let _guard = guard(folder).map_err(|error| match error {
        TryLockError::WouldBlock => busy(path),
        TryLockError::Error(error) => failed(path, &error),
    })?;
    let current = match bytes_of(&target) {
        Ok(bytes) => Some(bytes),
        Err(FaultKind::Missing) => None,
        Err(kind) => {
            let help = kind.help(&path.to_string_lossy());
            return Err(Problem::new(STEP, format!("{}: {kind}", path.display()), help));
        }
    };
    if current.as_deref() == Some(text.as_bytes()) {
        return Ok(Saved::Unchanged);
    }
    if current.as_deref().map(Seen::of).as_ref() != expected {
        return Err(changed(path));
    }
    replace(&target, folder, text).map_err(|error| failed(path, &error))?;
    Ok(Saved::Written)
}

/// Where a path leads: the file itself, whether it exists yet or not.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    /// As many as Linux follows.
    const MOST_LINKS: usize = 40;
    let mut target = path.to_path_buf();
    for _ in 0..=MOST_LINKS {
        match fs::read_link(&target) {
            // A relative link counts from the folder that it is in; an absolute one replaces all.
            Ok(next) => target = target.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return Ok(target),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Keeps other writers out of a folder while the result lives: a lock on the folder itself, which leaves nothing behind.
#[cfg(unix)]
fn guard(folder: &Path) -> Result<File, TryLockError> {
    let handle = File::open(folder).map_err(TryLockError::Error)?;
    retry(|| match handle.try_lock() {
        // Some network file systems can't lock a folder. What `save` compares still shows a writer that was faster.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
    })?;
    Ok(handle)
}

/// Keeps other writers out of a folder while the result lives: Windows can't lock a folder, so it is a file that the
/// system itself deletes with its last handle.
#[cfg(windows)]
fn guard(folder: &Path) -> Result<File, TryLockError> {
    use std::os::windows::fs::OpenOptionsExt;
    /// `FILE_FLAG_DELETE_ON_CLOSE` of `CreateFileW`.
    const DELETE_ON_CLOSE: u32 = 0x0400_0000;
    /// `ERROR_SHARING_VIOLATION` of `CreateFileW`: another handle is open.
    const SHARING_VIOLATION: i32 = 32;
    let path = folder.join(".mcp-tools.lock.guard");
    retry(|| {
        fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .share_mode(0)
            .custom_flags(DELETE_ON_CLOSE)
            .open(&path)
            .map_err(|error| match error.raw_os_error() {
                Some(SHARING_VIOLATION) => TryLockError::WouldBlock,
                _ => TryLockError::Error(error),
            })
    })
}

/// Tries for two seconds: another writer holds the folder only while it writes.
fn retry<T>(attempt: impl Fn() -> Result<T, TryLockError>) -> Result<T, TryLockError> {
    const ATTEMPTS: usize = 40;
    const PAUSE: Duration = Duration::from_millis(50);
    for _ in 1..ATTEMPTS {
        match attempt() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            done => return done,
        }
    }
    attempt()
}

/// Writes beside the file, then renames over it.
fn replace(target: &Path, folder: &Path, text: &str) -> io::Result<()> {
    let mut file = new_file(target, folder)?;
    file.as_file_mut().write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(target).map_err(|error| error.error)?;
    // The rename has happened; that a file system can't make a folder durable is no reason to call it failed.
    #[cfg(unix)]
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

/// A file beside the target with the target's permissions, or those of any new file.
fn new_file(target: &Path, folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".mcp-tools.lock.").suffix(".tmp");
    let permissions = match fs::metadata(target) {
        Ok(metadata) => metadata.permissions(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // Unlike a temporary file's own, these are for everybody to read, but for what the user's mask takes away.
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
            return builder.tempfile_in(folder).map_err(nameless);
        }
        Err(error) => return Err(error),
    };
    if permissions.readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    let file = builder.tempfile_in(folder).map_err(nameless)?;
    file.as_file().set_permissions(permissions)?;
    Ok(file)
}

/// The error without the temporary file's name, which is another each time and means nothing to a user.
fn nameless(error: io::Error) -> io::Error {
    io::Error::from(error.kind())
}

const STEP: &str = "writing the lockfile";

fn failed(path: &Path, error: &io::Error) -> Problem {
    let shown = path.display();
    let help = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space there, then run the command again".to_owned()
        }
        io::ErrorKind::NotFound => format!("make the folder of {shown}, or choose another file with `--lockfile`"),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            format!("the file and its folder must be writable: see `ls -ld {shown}` and its folder")
        }
        _ => "mend the cause, then run the command again".to_owned(),
    };
    Problem::new(STEP, format!("{shown}: {error}; the old file, if any, is untouched"), help)
}

fn busy(path: &Path) -> Problem {
    let cause = format!("{}: another mcp-pin is writing in this folder", path.display());
    Problem::new(STEP, cause, "wait until it has ended, read `git diff`, then run the command again")
}

fn too_large(path: &Path) -> Problem {
    let cause = format!("{}: the lockfile would have more than {MAX_SIZE} bytes", path.display());
    Problem::new(STEP, cause, "give the largest servers a lockfile of their own with `--lockfile`")
}

fn unreadable(path: &Path, error: &LockError) -> Problem {
    let cause =
        format!("{}: what was to be written could not be read again; nothing was written\n{error}", path.display());
    Problem::new(STEP, cause, "this is a defect of mcp-pin: please report it with these lines")
}

fn changed(path: &Path) -> Problem {
    let shown = path.display();
    let cause = format!("{shown}: the file changed while mcp-pin ran; nothing was written");
    Problem::new(STEP, cause, format!("read what changed with `git diff -- {shown}`, then run the command again"))
}
