//! What a run told, taken apart: reports as programs read them, and scripts with markers.

use serde_json::{Map, Value, json};

use crate::common::{Finished, Project, listing};

impl Finished {
    /// Standard output as the one JSON document that it is.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}\nstdout:\n{}\nstderr:\n{}", self.stdout, self.stderr))
    }

    /// The run could not check, and each of these is on a line of its report; nothing is called drift.
    #[track_caller]
    pub(crate) fn expect_refused(&self, parts: &[&str]) -> &Self {
        self.expect_status(2).expect_told(parts).expect_nowhere(&["drift:", "removed"])
    }
}

/// The server's part of a report.
#[track_caller]
pub(crate) fn server<'a>(report: &'a Value, name: &str) -> &'a Value {
    let servers = report["servers"].as_array().expect("servers");
    servers.iter().find(|server| server["name"] == name).unwrap_or_else(|| panic!("no {name} in {report:#}"))
}

/// A server's findings, one a text: `danger tool-added lookup` or `change title-changed lookup /title`, sorted.
#[track_caller]
pub(crate) fn findings(report: &Value, name: &str) -> Vec<String> {
    let findings = server(report, name)["findings"].as_array().expect("findings");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let mut told: Vec<String> = findings
        .iter()
        .map(|finding| {
            let item = finding.get("item").map(|item| text(&item["name"]));
            let pointer = Some(text(&finding["pointer"])).filter(|pointer| !pointer.is_empty());
            let words = [Some(text(&finding["level"])), Some(text(&finding["rule"])), item, pointer];
            words.into_iter().flatten().collect::<Vec<_>>().join(" ")
        })
        .collect();
    told.sort();
    told
}

/// The findings that fail a check.
#[track_caller]
pub(crate) fn failing(report: &Value, name: &str) -> Vec<String> {
    findings(report, name).into_iter().filter(|finding| !finding.starts_with("notice ")).collect()
}

/// The first finding of that rule, whole.
#[track_caller]
pub(crate) fn finding<'a>(report: &'a Value, name: &str, rule: &str) -> &'a Value {
    let findings = server(report, name)["findings"].as_array().expect("findings");
    findings.iter().find(|finding| finding["rule"] == rule).unwrap_or_else(|| panic!("no {rule} in {report:#}"))
}

/// Pins a server `crm` with this script, gives it that other one, and checks it as programs do.
#[track_caller]
pub(crate) fn drift(before: &Value, after: &Value) -> (Finished, Value) {
    let project = Project::with_server("crm", before);
    project.pin();
    let lockfile = project.lockfile();
    project.script("crm", after);
    let finished = project.run(&["check", "--format", "json"]).finish();
    assert_eq!(project.lockfile(), lockfile, "a check never writes");
    finished.expect_stderr(&[]);
    let report = finished.json();
    assert_eq!(report["exit_code"], finished.status, "the document and the process agree");
    (finished, report)
}

/// As [`drift`], between two lists of tools.
#[track_caller]
pub(crate) fn drift_of_tools(before: &[Value], after: &[Value]) -> (Finished, Value) {
    drift(&listing(before), &listing(after))
}

/// The object with more members.
pub(crate) fn with(mut object: Value, more: Value) -> Value {
    let members: &mut Map<String, Value> = object.as_object_mut().expect("an object");
    members.extend(more.as_object().expect("an object").clone());
    object
}

/// The script, with a marker file for each start of the server.
pub(crate) fn marked(script: Value, marker: &str) -> Value {
    with(script, json!({ "on": [{ "method": "start", "do": [{ "touch": marker }] }] }))
}

/// The bytes and the time of the last change of a file, to see that nobody wrote it.
pub(crate) fn stamp(project: &Project, name: &str) -> (Vec<u8>, std::time::SystemTime) {
    let path = project.path(name);
    let modified = std::fs::metadata(&path).and_then(|metadata| metadata.modified()).expect("a time");
    (std::fs::read(path).expect("readable"), modified)
}

/// The names in the project's folder, sorted.
pub(crate) fn folder(project: &Project) -> Vec<String> {
    let entries = std::fs::read_dir(project.path("")).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// As `sha256sum` prints it.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
