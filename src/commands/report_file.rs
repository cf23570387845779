//! Reports in files: each whole or not at all.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::problem::Problem;
use crate::report::WRITING;

/// Makes a text the content of a file. What isn't a regular file, such as a pipe or `/dev/stderr`, is written to as it is.
///
/// # Errors
/// When it can't be written; a file that was there is untouched then.
pub(super) fn write(path: &Path, text: &str) -> Result<(), Problem> {
    written(path, text).map_err(|error| {
        let shown = path.display();
        let help = match error.kind() {
            io::ErrorKind::NotFound => format!("make the folder of {shown}, or name another file with --output"),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space there".to_owned(),
            _ => "name another file with --output".to_owned(),
        };
        Problem::new(WRITING, format!("{shown}: {}", io::Error::from(error.kind())), help)
    })
}

fn written(path: &Path, text: &str) -> io::Result<()> {
    // By a link to what it leads to: the link stays.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let permissions = match fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => {
            return OpenOptions::new().write(true).open(&path)?.write_all(text.as_bytes());
        }
        Ok(metadata) if metadata.permissions().readonly() => return Err(io::ErrorKind::PermissionDenied.into()),
        Ok(metadata) => Some(metadata.permissions()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let folder: PathBuf = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".mcp-pin.").suffix(".tmp");
    // Unlike a temporary file's own, these are for everybody to read, but for what the user's mask takes away.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    let mut file = builder.tempfile_in(folder)?;
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    file.write_all(text.as_bytes())?;
    file.persist(&path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("report.json");
        for text in ["long text", "x"] {
            write(&path, text).expect("written");
            assert_eq!(fs::read_to_string(&path).expect("readable"), text);
        }
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_others_may_read_the_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let (link, target) = (folder.path().join("link"), folder.path().join("target"));
        fs::write(&target, "old").expect("written");
        std::os::unix::fs::symlink("target", &link).expect("a link");
        write(&link, "new").expect("written");
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&target).expect("readable"), "new");
        let new = folder.path().join("new");
        write(&new, "x").expect("written");
        assert_eq!(fs::metadata(&new).expect("there").permissions().mode() & 0o044, 0o044);
    }

    #[test]
    fn what_cannot_be_written_says_why() {
        let folder = tempfile::tempdir().expect("a folder");
        let problem = write(&folder.path().join("none/report.json"), "x").expect_err("no folder");
        assert!(problem.help.contains("make the folder"), "{}", problem.help);
        assert!(write(folder.path(), "x").is_err());
    }
}
