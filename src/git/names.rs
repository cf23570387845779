//! Whether a name means one commit only.
//!
//! Git takes the first of many places where a name could stand, and a tag comes before a branch. Whoever can push a tag
//! would so choose the commit that `origin/main` means.

use super::{Repository, STEP, run};
use crate::problem::Problem;
use crate::text;

/// Where git looks for a name, but for its own files: gitrevisions(7).
const PLACES: [(&str, &str); 5] =
    [("refs/", ""), ("refs/tags/", ""), ("refs/heads/", ""), ("refs/remotes/", ""), ("refs/remotes/", "/HEAD")];
/// How many digits an abbreviated object has at least.
const FEWEST_DIGITS: usize = 4;

impl Repository {
    /// Refuses a revision that could mean another commit than the one that git takes it for.
    pub(super) fn refuse_unclear(&self, revision: &str) -> Result<(), Problem> {
        let name = reference(revision);
        let shown = text::terminal_line(name);
        if revision.starts_with("@{-") {
            let cause = format!("\"{}\" is a branch by its place in a history", text::terminal_line(revision));
            return Err(Problem::new(STEP, cause, "name the branch, as in refs/heads/main"));
        }
        // Neither a push nor a fetch writes those; and all digits of an object are always that.
        if ["", "@", "HEAD"].contains(&name) || self.object(name)?.is_some_and(|object| object == name) {
            return Ok(());
        }
        let found = self.references(name)?;
        if name.starts_with("refs/") {
            // Else git would go on to refs/tags/refs/….
            let help = "see `git for-each-ref` for what there is; `git fetch` of that branch may be missing";
            let missing = || Problem::new(STEP, format!("there is no {shown} in this repository"), help);
            return found.contains(&name.to_owned()).then_some(()).ok_or_else(missing);
        }
        let Some(first) = found.first() else { return Ok(()) };
        let meant = self.object(&format!("{name}^{{commit}}"))?;
        let mut others = found.iter().filter(|other| *other != first).cloned().collect::<Vec<_>>();
        let mut is_clear = true;
        for reference in &found {
            is_clear &= self.object(&format!("{reference}^{{commit}}"))? == meant;
        }
        if !is_clear && others.is_empty() {
            others.push("what git itself calls so".to_owned());
        }
        if self.is_abbreviation(name)? {
            others.push("the beginning of an object's name".to_owned());
            is_clear = false;
        }
        let help = |full: &str| format!("write the one that is meant in full, as {}", text::terminal_line(full));
        if !is_clear {
            let all: Vec<String> =
                std::iter::once(first).chain(&others).map(|other| text::terminal_line(other)).collect();
            let cause = format!("\"{shown}\" is ambiguous: {}", all.join(" and "));
            return Err(Problem::new(STEP, cause, help(found.last().unwrap_or(first))));
        }
        match self.remote_of(name)? {
            Some(remote) if found.iter().all(|found| !found.starts_with("refs/remotes/")) => {
                let cause = format!("\"{shown}\" is {}, and no branch of {remote}", text::terminal_line(first));
                let help = format!("fetch the branch, or, if that one is meant: {}", text::terminal_line(first));
                Err(Problem::new(STEP, cause, help))
            }
            _ => Ok(()),
        }
    }

    /// The references that a name could mean, in git's order.
    fn references(&self, name: &str) -> Result<Vec<String>, Problem> {
        let places = PLACES.iter().map(|(before, after)| format!("{before}{name}{after}"));
        let places: Vec<String> = std::iter::once(name.to_owned()).chain(places).collect();
        let mut words = vec!["for-each-ref", "--format=%(refname)"];
        words.extend(places.iter().filter(|place| place.starts_with("refs/")).map(String::as_str));
        let output = run::git(&self.root, &words, &[])?;
        let listed = output.success().map_err(|complaint| run::failed(&complaint))?;
        let listed: Vec<String> = String::from_utf8_lossy(listed).lines().map(str::to_owned).collect();
        Ok(places.into_iter().filter(|place| listed.contains(place)).collect())
    }

    /// The object that git takes a text for.
    pub(super) fn object(&self, text: &str) -> Result<Option<String>, Problem> {
        let output = run::git(&self.root, &["rev-parse", "--verify", "--quiet", "--end-of-options", text], &[])?;
        Ok(output.success().ok().map(|bytes| String::from_utf8_lossy(bytes).trim().to_owned()))
    }

    /// Whether a name is also the beginning of that of a commit or tag, alone or as `git describe` writes it.
    fn is_abbreviation(&self, name: &str) -> Result<bool, Problem> {
        let digits = name.rsplit_once("-g").map_or(name, |(_, digits)| digits);
        if digits.len() < FEWEST_DIGITS || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(false);
        }
        let output = run::git(&self.root, &["rev-parse", &format!("--disambiguate={digits}")], &[])?;
        let objects = output.success().map_err(|complaint| run::failed(&complaint))?;
        let output = run::git(&self.root, &["cat-file", "--batch-check=%(objecttype)"], objects)?;
        let kinds = output.success().map_err(|complaint| run::failed(&complaint))?;
        Ok(String::from_utf8_lossy(kinds).lines().any(|kind| ["commit", "tag"].contains(&kind)))
    }

    /// The remote that a name begins with, as in `origin/main`.
    fn remote_of(&self, name: &str) -> Result<Option<String>, Problem> {
        let output = run::git(&self.root, &["remote"], &[])?;
        let remotes = output.success().map_err(|complaint| run::failed(&complaint))?;
        let remotes = String::from_utf8_lossy(remotes);
        let begins = |remote: &&str| name.strip_prefix(remote).is_some_and(|rest| rest.starts_with('/'));
        Ok(remotes.lines().find(begins).map(text::terminal_line))
    }
}

/// What stands before the steps from one commit to another.
fn reference(revision: &str) -> &str {
    let end = ["~", "^", "@{"].iter().filter_map(|step| revision.find(step)).min();
    &revision[..end.unwrap_or(revision.len())]
}

#[cfg(test)]
mod tests {
    use super::reference;

    #[test]
    fn a_name_ends_where_the_steps_begin() {
        for (revision, name) in [
            ("main", "main"),
            ("origin/main~2^{commit}", "origin/main"),
            ("main@{1}", "main"),
            ("a@b^", "a@b"),
            ("@~1", "@"),
            ("@{upstream}", ""),
        ] {
            assert_eq!(reference(revision), name, "{revision}");
        }
    }
}
