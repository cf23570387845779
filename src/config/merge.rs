//! Servers of several configurations together.

use std::collections::BTreeSet;

use super::{ConfiguredServer, State};
use crate::launch::Transport;

/// The servers of all configurations, sorted by name. A name that two configurations give to one launch is one server, and
/// enabled if either enables it; a name for two launches is two servers, the later one called `NAME@FILE`. A program counts
/// as the same only in the same folder: `node server.mjs` is another program elsewhere.
pub fn merge(configurations: Vec<Vec<ConfiguredServer>>) -> Vec<ConfiguredServer> {
    // Beside each server, the name that its configuration gives it.
    let mut merged: Vec<(String, ConfiguredServer)> = Vec::new();
    let mut taken = BTreeSet::new();
    // Names as written come first, so that none of them is taken by a name that is made here.
    let written: BTreeSet<String> = configurations.iter().flatten().map(|server| server.name.clone()).collect();
    for mut server in configurations.into_iter().flatten() {
        let name = server.name.clone();
        if let Some((_, same)) = merged.iter_mut().find(|(other, same)| *other == name && is_same(same, &server)) {
            if server.state == State::Enabled {
                same.state = State::Enabled;
            }
            continue;
        }
        while taken.contains(&server.name) || (server.name != name && written.contains(&server.name)) {
            server.name = format!("{}@{}", server.name, server.origin());
        }
        taken.insert(server.name.clone());
        merged.push((name, server));
    }
    let mut servers: Vec<ConfiguredServer> = merged.into_iter().map(|(_, server)| server).collect();
    servers.sort_by(|one, other| one.name.cmp(&other.name));
    servers
}

fn is_same(one: &ConfiguredServer, other: &ConfiguredServer) -> bool {
    let placeless = matches!(one.launch.transport, Transport::Http { .. });
    one.launch == other.launch && (placeless || one.folder == other.folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::Launch;
    use crate::launch::samples::{http, stdio};
    use std::path::PathBuf;

    fn server(name: &str, config: &str, launch: Launch) -> ConfiguredServer {
        let folder = PathBuf::from("/project").join(config.rsplit_once('/').map_or("", |(folder, _)| folder));
        ConfiguredServer {
            name: name.to_owned(),
            config: Some(config.to_owned()),
            folder,
            launch,
            state: State::Enabled,
        }
    }

    fn names(configurations: Vec<Vec<ConfiguredServer>>) -> Vec<String> {
        merge(configurations).into_iter().map(|server| server.name).collect()
    }

    #[test]
    fn one_name_for_one_launch_is_one_server() {
        let disabled = ConfiguredServer { state: State::Disabled, ..server("db", "a.json", stdio("x", [], [])) };
        let merged = merge(vec![vec![disabled], vec![server("db", "b.json", stdio("x", [], []))]]);
        assert_eq!(merged, [server("db", "a.json", stdio("x", [], []))]);
        let remote = |config| vec![server("web", config, http("https://h", []))];
        assert_eq!(names(vec![remote("a.json"), remote("sub/a.json")]), ["web"]);
    }

    #[test]
    fn one_name_for_two_launches_is_two_servers() {
        let configurations = vec![
            vec![server("db", "a.json", stdio("x", [], [])), server("web", "a.json", http("https://h", []))],
            vec![server("db", "sub/b.json", stdio("y", [], []))],
        ];
        assert_eq!(names(configurations), ["db", "db@sub/b.json", "web"]);
    }

    #[test]
    fn one_command_in_two_folders_is_two_servers() {
        let program = |config| vec![server("db", config, stdio("node", ["server.mjs"], []))];
        assert_eq!(names(vec![program("a.json"), program("sub/a.json")]), ["db", "db@sub/a.json"]);
    }

    #[test]
    fn a_made_name_never_takes_a_written_one() {
        let configurations = vec![
            vec![server("db", "a.json", stdio("x", [], []))],
            vec![server("db", "b.json", stdio("y", [], [])), server("db@b.json", "b.json", stdio("z", [], []))],
        ];
        let merged = merge(configurations);
        let commands: Vec<_> = merged.iter().map(|server| (server.name.as_str(), &server.launch)).collect();
        assert_eq!(
            commands,
            [
                ("db", &stdio("x", [], [])),
                ("db@b.json", &stdio("z", [], [])),
                ("db@b.json@b.json", &stdio("y", [], []))
            ]
        );
    }

    #[test]
    fn a_third_configuration_is_compared_with_both() {
        let one = |config, command| vec![server("db", config, stdio(command, [], []))];
        let configurations = vec![one("a.json", "x"), one("b.json", "y"), one("c.json", "y"), one("d.json", "z")];
        assert_eq!(names(configurations), ["db", "db@b.json", "db@d.json"]);
    }
}
