//! The lockfile reader, its one spelling, and the merge of two lockfiles.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_pin::lock::{self, FaultKind, LockError, Lockfile};
use mcp_pin::text;

const FILE: &str = "mcp-tools.lock";

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    // A fuzzer finds no digest by chance, so the right ones are filled in, and the rest of the file is read on.
    if let Some(mended) = with_digests(bytes) {
        read(mended.as_bytes());
    }
});

fn read(bytes: &[u8]) {
    let any = lock::parse_any_spelling(bytes, FILE);
    if let Err(error) = &any {
        shown(error);
    }
    match lock::parse_bytes(bytes, FILE) {
        Ok(lockfile) => {
            let source = std::str::from_utf8(bytes).expect("what is read is UTF-8");
            let source = source.strip_prefix('\u{feff}').unwrap_or(source).replace("\r\n", "\n");
            assert_eq!(lock::to_text(&lockfile), source);
            assert_eq!(any.as_ref(), Ok(&lockfile), "the strict reader accepts what the other refuses");
        }
        Err(error) => shown(&error),
    }
    if let Ok(lockfile) = any {
        written(&lockfile);
    }
}

/// What was read in any spelling has one that is read strictly, and that hides nothing.
fn written(lockfile: &Lockfile) {
    let written = lock::to_text(lockfile);
    assert_eq!(lock::parse(&written, FILE).as_ref(), Ok(lockfile), "{written}");
    assert!(!written.chars().any(text::is_invisible), "{written:?}");
    assert!(!written.split('\n').any(text::begins_like_merge_marker), "{written}");
    assert!(!written.split('\n').any(|line| line.ends_with(' ')), "{written:?}");

    let merged = lock::merge(lockfile, lockfile, lockfile);
    assert_eq!((merged.text.as_str(), merged.conflicts), (written.as_str(), 0));
    let merged = lock::merge(&Lockfile::default(), lockfile, &Lockfile::default());
    assert_eq!((merged.text.as_str(), merged.conflicts), (written.as_str(), 0));
}

/// Every message can be made, and each fault names a line that is there.
fn shown(error: &LockError) {
    assert!(!error.faults.is_empty());
    assert!(error.faults.iter().all(|fault| fault.line != Some(0)));
    let _ = text::terminal(&error.to_string());
}

/// The text with the digest that each inconsistent block should state.
fn with_digests(bytes: &[u8]) -> Option<String> {
    let mut source = std::str::from_utf8(bytes).ok()?.to_owned();
    for _ in 0..3 {
        let error = lock::parse_any_spelling(source.as_bytes(), FILE).err()?;
        let mut changed = false;
        for fault in &error.faults {
            let FaultKind::Inconsistent { stated, computed, .. } = &fault.kind else { return None };
            let line = fault.line.unwrap_or(1);
            let start: usize = source.split_inclusive('\n').take(line - 1).map(str::len).sum();
            if let Some(at) = source.get(start..).and_then(|rest| rest.find(stated.as_str())) {
                let place = start + at..start + at + stated.as_str().len();
                source.replace_range(place, computed.as_str());
                changed = true;
            }
        }
        if !changed {
            return None;
        }
        if lock::parse_any_spelling(source.as_bytes(), FILE).is_ok() {
            return Some(source);
        }
    }
    None
}
