//! The action's steps, run as a workflow's runner does: scripts, files for outputs, a remote repository. The `gh` on the
//! PATH is ours and only writes down how it was called.

#![cfg(unix)]

use std::path::Path;
use std::process::Command;

use crate::common::{Finished, MCP_PIN, Project, listing, scripted_server, tool};

const DESCRIBED: &str = "Renews the pin.";

fn repository(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A clone of a bare repository in `work`, with one pinned server, and a `gh` that knows of the pull requests in `open`.
fn workspace() -> Project {
    let project = Project::new();
    for folder in ["work", "bin", "temporary"] {
        std::fs::create_dir(project.path(folder)).expect("a folder");
    }
    let gh = "#!/bin/sh\nfor word; do printf '%s\\n' \"$word\" >> \"$FOLDER/gh.log\"; done\necho -- >> \"$FOLDER/gh.log\"\n\
              for word; do [ \"$before\" = --body-file ] && cp \"$word\" \"$FOLDER/body\"; before=$word; done\n\
              case \"$1 $2\" in\n'pr list') cat \"$FOLDER/open\";;\n\
              'pr create') echo https://forge.example/pull/1 | tee \"$FOLDER/open\";;\nesac\n";
    project.write("bin/gh", gh);
    std::fs::set_permissions(project.path("bin/gh"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("set");
    std::os::unix::fs::symlink(MCP_PIN, project.path("bin/mcp-pin")).expect("linked");
    project.write("open", "");
    says(&project, "A.");
    let entry = serde_json::json!({ "command": scripted_server(), "args": ["crm.json"] });
    project.write("work/.mcp.json", serde_json::json!({ "mcpServers": { "crm": entry } }).to_string());
    project.run(&["-C", "work", "pin", "--yes"]).finish().expect_status(0);
    git(&project, &["init", "-q", "--bare", "-b", "main", "../remote"]).expect_status(0);
    git(&project, &["init", "-q", "-b", "main"]).expect_status(0);
    git(&project, &["remote", "add", "origin", &project.path("remote").display().to_string()]).expect_status(0);
    git(&project, &["add", ".mcp.json", "mcp-tools.lock"]).expect_status(0);
    git(&project, &["commit", "-q", "-m", "pinned"]).expect_status(0);
    git(&project, &["push", "-q", "origin", "main"]).expect_status(0);
    project
}

/// Gives the server a face.
fn says(project: &Project, description: &str) {
    project.write("work/crm.json", listing(&[tool("a", description)]).to_string());
}

fn run(project: &Project, program: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Finished {
    let own = std::env::var("PATH").expect("a PATH");
    let output = Command::new(program)
        .args(arguments)
        .current_dir(project.path("work"))
        .env_clear()
        .env("PATH", format!("{}:{own}", project.path("bin").display()))
        .env("HOME", project.path("home"))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .envs(["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"].map(|name| (name, "test")))
        .envs(["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"].map(|name| (name, "test@example.invalid")))
        .env("FOLDER", project.path(""))
        .env("RUNNER_TEMP", project.path("temporary"))
        .envs(["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH"].map(|name| (name, project.path(name))))
        .env("GITHUB_ACTION_PATH", env!("CARGO_MANIFEST_DIR"))
        .envs(variables.iter().copied())
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    let folder = project.path("").display().to_string();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(folder.trim_end_matches('/'), "[project]");
    Finished {
        status: output.status.code().unwrap_or(-1),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
        took: std::time::Duration::ZERO,
    }
}

fn git(project: &Project, arguments: &[&str]) -> Finished {
    run(project, "git", arguments, &[])
}

/// A step of the action, with the outputs of earlier ones forgotten.
fn step(project: &Project, script: &str, inputs: &[(&str, &str)]) -> Finished {
    for file in ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH", "gh.log"] {
        project.write(file, "");
    }
    run(project, "bash", &[&format!("{}/action/{script}.sh", env!("CARGO_MANIFEST_DIR"))], inputs)
}

fn outputs(project: &Project) -> String {
    project.read("GITHUB_OUTPUT").replace(project.path("").display().to_string().trim_end_matches('/'), "[project]")
}

fn propose(project: &Project, inputs: &[(&str, &str)]) -> Finished {
    let proposed = project.path("temporary/mcp-pin-handover/mcp-tools.lock").display().to_string();
    step(project, "propose", &[&[("INPUT_PROPOSED", proposed.as_str()), ("INPUT_BASE", "main")], inputs].concat())
}

/// The other job: a fresh clone, with nothing of the first one but what it handed over.
fn another_job(project: &Project) {
    std::fs::remove_dir_all(project.path("work")).expect("removed");
    std::fs::create_dir(project.path("work")).expect("a folder");
    let remote = format!("file://{}", project.path("remote").display());
    git(project, &["clone", "-q", "--depth=1", &remote, "."]).expect_status(0);
}

fn commit_of(project: &Project, reference: &str) -> String {
    git(project, &["ls-remote", "origin", reference]).stdout
}

#[test]
fn a_check_annotates_and_writes_a_summary_and_sarif() {
    let project = workspace();
    step(&project, "check", &[]).expect_status(0).expect_stderr(&[]).expect_stdout(&["in sync: `crm`"]);
    assert_eq!(outputs(&project), "status=0\nsarif=mcp-pin.sarif\n");
    project.write("GITHUB_STEP_SUMMARY", "");

    says(&project, "::error::A ##[error]B.\n::error::C");
    let drifted = step(&project, "check", &[("INPUT_SARIF", "a report.sarif"), ("INPUT_SERVERS", "crm\n")]);
    drifted.expect_status(1).expect_stderr(&[]).expect_stdout(&["::error file=mcp-tools.lock,line=", "drift: `crm`"]);
    assert_eq!(outputs(&project), "status=1\nsarif=a report.sarif\n");
    let report: serde_json::Value = serde_json::from_str(&project.read("work/a report.sarif")).expect("one document");
    assert_eq!(report["version"], "2.1.0");
    assert!(project.read("GITHUB_STEP_SUMMARY").starts_with("### MCP tools differ from the lockfile\n"));

    // What the server says is told only while the log takes no commands.
    let (annotations, log) = drifted.stdout.split_once("::stop-commands::").expect("commands are stopped");
    let token = log.lines().next().expect("a token");
    assert!(token.len() == 32 && log.ends_with(&format!("\n::{token}::\n")), "{log}");
    assert!(log.contains("drift: `crm`") && !annotations.contains("\n::error::"), "{annotations}");
}

#[test]
fn a_check_can_compare_with_what_a_revision_approves() {
    let project = workspace();
    git(&project, &["add", "crm.json"]).expect_status(0);
    git(&project, &["commit", "-q", "-m", "the server"]).expect_status(0);
    git(&project, &["push", "-q", "origin", "main"]).expect_status(0);
    let check = || step(&project, "check", &[("INPUT_REVISION", "origin/main")]);
    check().expect_status(0).expect_stdout(&["in sync: `crm`", "definitions match origin/main:mcp-tools.lock"]);
    check().expect_status(0);

    says(&project, "B.");
    check().expect_status(2).expect_stdout(&["its launch can reach crm.json, which differs from origin/main"]);
    git(&project, &["checkout", "-q", "--", "crm.json"]).expect_status(0);
    let lockfile = project.read("work/mcp-tools.lock");
    project.write("work/mcp-tools.lock", "");
    check().expect_status(2);
    project.write("work/mcp-tools.lock", lockfile);
    project.write("work/mcp-pin.toml", "[[rule]]\neffect = \"allow\"\n");
    let loosened = check();
    loosened.expect_status(1).expect_stdout(&["danger[policy-loosened]"]);
    assert!(project.read("GITHUB_STEP_SUMMARY").contains("policy-loosened"));
    step(&project, "check", &[("INPUT_REVISION", "-x")])
        .expect_status(2)
        .expect_stdout(&["no commit of this repository"]);
}

#[test]
fn a_check_that_could_not_be_made_fails_as_one() {
    let project = workspace();
    project.write("work/mcp-tools.lock", "version = 1\n[[tool]]\n");
    step(&project, "check", &[]).expect_status(2).expect_stdout(&["::error"]);
    assert!(outputs(&project).starts_with("status=2\n"));
    step(&project, "check", &[("INPUT_WORKING_DIRECTORY", "none")]).expect_status(1).expect_stderr(&["none"]);
}

#[test]
fn a_report_that_was_there_before_is_not_what_a_check_wrote() {
    let project = workspace();
    project.write("work/mcp-pin.sarif", "committed");
    step(&project, "check", &[]).expect_status(0);
    assert_eq!(outputs(&project), "status=0\nsarif=mcp-pin.sarif\n");
    assert!(project.read("work/mcp-pin.sarif").contains("2.1.0"));

    // A link is replaced, what the project needs stays, and a check that doesn't get as far as that has no report.
    std::fs::remove_file(project.path("work/mcp-pin.sarif")).expect("removed");
    std::os::unix::fs::symlink(project.path("work/crm.json"), project.path("work/mcp-pin.sarif")).expect("a link");
    let lockfile = project.read("work/mcp-tools.lock");
    for report in ["mcp-pin.sarif", "mcp-tools.lock", ".mcp.json", "crm.json"] {
        let more = if report == "crm.json" { "--nonsense" } else { "" };
        step(&project, "check", &[("INPUT_SARIF", report), ("INPUT_SERVERS", more)]);
        let is_written = report == "mcp-pin.sarif";
        assert_eq!(outputs(&project).contains("sarif="), is_written, "{report}: {}", outputs(&project));
    }
    assert_eq!(project.read("work/mcp-tools.lock"), lockfile);
    assert!(project.read("work/.mcp.json").contains("crm.json") && project.read("work/crm.json").contains("A."));
}

#[test]
fn an_update_hands_over_the_lockfile_and_nothing_else() {
    let project = workspace();
    step(&project, "update", &[]).expect_status(0).expect_stderr(&[]);
    assert_eq!(outputs(&project), "status=0\nchanged=false\n");
    assert!(!project.exists("temporary/mcp-pin-handover"));

    says(&project, DESCRIBED);
    step(&project, "update", &[]).expect_status(0).expect_stderr(&[]).expect_stdout(&["wrote mcp-tools.lock"]);
    let handed = "[project]/temporary/mcp-pin-handover/mcp-tools.lock";
    assert_eq!(outputs(&project), format!("status=0\nchanged=true\nlockfile={handed}\n"));
    let files: Vec<_> = std::fs::read_dir(project.path("temporary/mcp-pin-handover")).expect("a folder").collect();
    assert_eq!(files.len(), 1);
    let handed = project.read("temporary/mcp-pin-handover/mcp-tools.lock");
    assert!(handed.contains(DESCRIBED) && handed == project.read("work/mcp-tools.lock"));
    assert!(project.read("GITHUB_STEP_SUMMARY").contains("Renews the pin"));
    assert_eq!(project.read("gh.log"), "");

    project.write("work/crm.json", "not a script");
    step(&project, "update", &[]).expect_status(2);
    assert_eq!(outputs(&project), "status=2\n");
}

#[test]
fn a_proposal_is_one_pull_request_that_is_renewed() {
    let project = workspace();
    says(&project, DESCRIBED);
    step(&project, "update", &[]).expect_status(0);
    another_job(&project);
    // There is nothing here that a server could be started with: its script isn't in the repository.
    let proposed = propose(&project, &[("INPUT_TITLE", "Renew $(touch pwned) `pins`")]);
    proposed.expect_status(0).expect_stderr(&[]).expect_stdout(&["in sync: `crm`"]);
    assert_eq!(outputs(&project), "proposed=true\npull-request=https://forge.example/pull/1\n");
    let log = project.read("gh.log");
    for part in ["pr\nlist\n", "--head\nmcp-pin/update\n--base\nmain\n", "isCrossRepository", "pr\ncreate\n"] {
        assert!(log.contains(part), "no {part:?} in {log}");
    }
    assert!(log.contains("--title\nRenew $(touch pwned) `pins`\n") && !project.exists("work/pwned"), "{log}");
    let body = project.read("body");
    let parts = [
        "as you would read code",
        "### MCP tools differ from the lockfile\n",
        "description-changed",
        "+ {+Renews the pin+}.",
        "approves all of it",
        "`mcp-pin verify`",
        "### MCP tools are in sync with the lockfile\n",
    ];
    for pair in parts.windows(2) {
        let (first, second) = (body.find(pair[0]), body.find(pair[1]));
        assert!(first.is_some() && first < second, "{pair:?} in {body}");
    }
    assert_eq!(project.read("GITHUB_STEP_SUMMARY"), body);
    let show = git(&project, &["--git-dir=../remote", "show", "--stat=200", "--format=%s|%an", "mcp-pin/update"]);
    show.expect_status(0).expect_stdout(&["Renew $(touch pwned) `pins`|github-actions[bot]\n", "1 file changed"]);
    let lockfile = git(&project, &["--git-dir=../remote", "show", "mcp-pin/update:mcp-tools.lock"]).stdout;
    assert!(lockfile.contains(DESCRIBED));
    let main = commit_of(&project, "refs/heads/main");

    // The same once more pushes nothing, so that a review that began keeps its commit.
    let first = commit_of(&project, "refs/heads/mcp-pin/update");
    another_job(&project);
    propose(&project, &[]).expect_status(0).expect_stderr(&[]);
    assert_eq!(commit_of(&project, "refs/heads/mcp-pin/update"), first);
    assert!(project.read("gh.log").contains("pr\nedit\nhttps://forge.example/pull/1\n"));
    assert!(!project.read("gh.log").contains("create"));

    // Another face renews the branch and the pull request.
    says(&project, "Said later.");
    step(&project, "update", &[]).expect_status(0);
    another_job(&project);
    propose(&project, &[]).expect_status(0).expect_stderr(&[]);
    let second = commit_of(&project, "refs/heads/mcp-pin/update");
    assert!(second != first && commit_of(&project, "refs/heads/main") == main);
    let parents = git(&project, &["--git-dir=../remote", "rev-list", "--count", "mcp-pin/update"]);
    assert_eq!(parents.stdout, "2\n");
    assert!(project.read("gh.log").contains("pr\nedit\n"));
}

#[test]
fn a_first_pin_is_proposed_with_all_that_it_holds() {
    let project = workspace();
    git(&project, &["rm", "-q", "mcp-tools.lock"]).expect_status(0);
    git(&project, &["commit", "-q", "-m", "nothing is pinned"]).expect_status(0);
    git(&project, &["push", "-q", "origin", "main"]).expect_status(0);
    step(&project, "update", &[]).expect_status(0);
    another_job(&project);
    propose(&project, &[]).expect_status(0).expect_stderr(&[]).expect_stdout(&["it counts as an empty lockfile"]);
    let body = project.read("body");
    assert!(body.contains("server-unpinned") && body.contains("as you would read code"), "{body}");
}

#[test]
fn a_proposal_of_any_size_has_a_body_that_is_taken() {
    let project = workspace();
    let tools: Vec<_> = (0..400).map(|n| tool(&format!("tool {n}"), &"Says much more now. ".repeat(50))).collect();
    project.write("work/crm.json", listing(&tools).to_string());
    step(&project, "update", &[]).expect_status(0);
    another_job(&project);
    propose(&project, &[]).expect_status(0);
    let body = project.read("body");
    let length = body.chars().count();
    assert!((50_000..=65_536).contains(&length), "{length}");
    assert!(body.contains("which had no room here") && body.contains("`mcp-pin verify`"), "{body}");
}

#[test]
fn a_file_with_the_name_of_a_revision_does_not_mislead_a_proposal() {
    let project = workspace();
    project.write("work/HEAD", "no lockfile");
    git(&project, &["add", "HEAD"]).expect_status(0);
    git(&project, &["commit", "-q", "-m", "a file"]).expect_status(0);
    git(&project, &["push", "-q", "origin", "main"]).expect_status(0);
    says(&project, DESCRIBED);
    step(&project, "update", &[]).expect_status(0);
    another_job(&project);
    propose(&project, &[]).expect_status(0).expect_stderr(&[]);
    assert!(project.read("body").contains("{+Renews the pin+}"));
}

#[test]
fn a_lockfile_that_does_not_belong_to_the_project_is_not_proposed() {
    let project = workspace();
    let before = commit_of(&project, "");
    let mut other = Project::new();
    other.script("other", &listing(&[tool("a", "Of another launch.")]));
    other.configure("crm", serde_json::json!({ "command": scripted_server(), "args": ["other.json"] }));
    other.pin();
    for (lockfile, status) in [
        (other.lockfile(), 1),
        (project.read("work/mcp-tools.lock").replace("A.", "B."), 2),
        ("$(touch pwned)".to_owned(), 2),
        (String::new(), 2),
    ] {
        another_job(&project);
        project.write("temporary/mcp-pin-handover/mcp-tools.lock", &lockfile);
        propose(&project, &[]).expect_status(status).expect_stdout(&["::error"]);
        assert_eq!((project.read("gh.log"), outputs(&project)), (String::new(), String::new()));
        assert!(!project.exists("work/pwned"));
    }
    std::fs::remove_file(project.path("temporary/mcp-pin-handover/mcp-tools.lock")).expect("removed");
    propose(&project, &[]).expect_status(2).expect_stdout(&["there is no such lockfile"]);
    let link = project.path("temporary/mcp-pin-handover/mcp-tools.lock");
    std::os::unix::fs::symlink(project.path("work/.mcp.json"), link).expect("linked");
    propose(&project, &[]).expect_status(2).expect_stdout(&["there is no such lockfile"]);
    assert_eq!((commit_of(&project, ""), project.read("gh.log")), (before, String::new()));
}

#[test]
fn a_proposal_needs_a_branch_of_its_own_and_something_to_propose() {
    let project = workspace();
    project.write("temporary/mcp-pin-handover/mcp-tools.lock", project.read("work/mcp-tools.lock"));
    for (name, value) in [
        ("INPUT_BRANCH", "main"),
        ("INPUT_BRANCH", "--upload-pack=x"),
        ("INPUT_BRANCH", "a b"),
        ("INPUT_BASE", "-d"),
        ("INPUT_BASE", ""),
        ("INPUT_PROPOSED", ""),
    ] {
        propose(&project, &[(name, value)]).expect_status(2).expect_stdout(&["::error title=mcp-pin::"]);
    }
    propose(&project, &[]).expect_status(0).expect_stdout(&["nothing to propose"]);
    assert_eq!((outputs(&project), project.read("gh.log")), ("proposed=false\n".to_owned(), String::new()));
}

#[test]
fn an_mcp_pin_on_the_path_is_taken_and_else_the_action_s_own_is_built() {
    let project = workspace();
    let found = step(&project, "install", &[]);
    found.expect_status(0).expect_stderr(&[]).expect_stdout(&["mcp-pin 0.", "target: "]);
    assert_eq!(project.read("GITHUB_PATH"), "");
    step(&project, "install", &[("INPUT_MODE", "bogus")]).expect_status(2).expect_stdout(&["check, update or propose"]);

    std::fs::remove_file(project.path("bin/mcp-pin")).expect("removed");
    // Both would make a real cargo run what the checkout says.
    project.write("work/rust-toolchain.toml", "[toolchain]\npath = \"toolchain\"\n");
    project.write("work/.cargo/config.toml", "[build]\nrustc = \"rustc.sh\"\n");
    let cargo = format!(
        "#!/bin/sh\npwd > \"$FOLDER/cargo.folder\"\nls -A > \"$FOLDER/cargo.files\"\nprintf '%s\\n' \"$@\" > \"$FOLDER/cargo.log\"\nfor last; do :; done\nmkdir -p \"$last/bin\"\n\
         ln -s '{MCP_PIN}' \"$last/bin/mcp-pin\"\n"
    );
    project.write("bin/cargo", cargo);
    std::fs::set_permissions(project.path("bin/cargo"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("set");
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", project.path("bin").display());
    step(&project, "install", &[("PATH", &path)]).expect_status(0).expect_stdout(&["mcp-pin 0."]);
    assert!(project.read("cargo.folder").contains("/temporary/mcp-pin."), "{}", project.read("cargo.folder"));
    assert_eq!(project.read("cargo.files"), "");
    let arguments = project.read("cargo.log");
    assert!(arguments.starts_with(&format!("install\n--locked\n--quiet\n--path\n{}\n", env!("CARGO_MANIFEST_DIR"))));
    assert!(project.read("GITHUB_PATH").ends_with("temporary/mcp-pin-installed/bin\n"));
}

#[test]
fn the_action_calls_these_scripts_and_writes_no_input_into_any() {
    let action = repository("action.yml");
    let steps = action.split_once("\n  steps:\n").expect("steps").1;
    let runs: Vec<&str> = steps.lines().filter_map(|line| line.trim().strip_prefix("run: ")).collect();
    let scripts = ["install", "check", "update", "propose"];
    let expected = scripts.map(|script| format!("bash \"$GITHUB_ACTION_PATH/action/{script}.sh\""));
    assert_eq!(runs, expected);
    for step in steps.split("\n    - ") {
        let (before, variables) = step.split_once("\n      env:\n").expect("variables");
        assert!(!before.contains("${{"), "{before}");
        let mode = before.lines().find_map(|line| line.trim().strip_prefix("if: inputs.mode == "));
        assert_eq!(variables.contains("GH_TOKEN"), mode == Some("'propose'"), "{step}");
        for line in variables.trim_end().lines() {
            let (name, value) = line.trim().split_once(": ").expect("a variable");
            let input =
                value.strip_prefix("${{ inputs.").and_then(|value| value.strip_suffix(" }}")).expect("an input");
            assert!(action.contains(&format!("\n  {input}:\n    description: ")), "no input {input}");
            let script = before.split_once("/action/").expect("a script").1.split('"').next().expect("a name");
            let read = [repository(&format!("action/{script}")), repository("action/lib.sh")].concat();
            assert!(name == "GH_TOKEN" || read.contains(&format!("${{{name}:")), "{script} doesn't read {name}");
        }
    }
}
