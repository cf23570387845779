//! The README's picture is what `mcp-pin demo` writes to a terminal.
//!
//! With `MCP_PIN_UPDATE=1`, as `.ci/picture` sets it, the test draws it anew instead of comparing.

use std::fmt::Write;
use std::path::Path;

use crate::common::Project;

/// The columns of the terminal; longer lines go on in the next one.
const COLUMNS: usize = 120;
/// Pixels of a character and of a line.
const CHARACTER: f64 = 7.83;
const LINE: usize = 18;
const MARGIN: usize = 16;

/// A character and the classes of its style.
type Cell = (char, String);

/// What a terminal shows: the sequences of ECMA-48 that a report is coloured with become classes.
fn screen(output: &str) -> Vec<Vec<Cell>> {
    let mut lines = vec![Vec::new()];
    let mut classes: Vec<&str> = Vec::new();
    let mut rest = output.chars();
    while let Some(character) = rest.next() {
        match character {
            '\u{1b}' => {
                let sequence: String = rest.by_ref().take_while(|&character| character != 'm').collect();
                match sequence.as_str() {
                    "[0" => classes.clear(),
                    "[1" => classes.push("bold"),
                    "[2" => classes.push("dim"),
                    "[4" => classes.push("underline"),
                    "[31" => classes.push("red"),
                    "[32" => classes.push("green"),
                    "[33" => classes.push("yellow"),
                    "[36" => classes.push("cyan"),
                    other => panic!("no class for {other:?}"),
                }
            }
            '\n' => lines.push(Vec::new()),
            shown => {
                if lines.last().is_some_and(|line| line.len() == COLUMNS) {
                    lines.push(Vec::new());
                }
                lines.last_mut().expect("a line").push((shown, classes.join(" ")));
            }
        }
    }
    while lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    lines
}

fn drawn(output: &str) -> String {
    let lines = screen(output);
    let columns = u32::try_from(lines.iter().map(Vec::len).max().unwrap_or(0)).expect("a terminal's width");
    let (width, height) = (f64::from(columns).mul_add(CHARACTER, 2.0 * 16.0).ceil(), lines.len() * LINE + 2 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n\
         <title>mcp-pin demo: a server changes behind your back and is caught</title>\n\
         <style>\n\
         text {{ font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, \"DejaVu Sans Mono\", monospace; fill: #d1d7e0; white-space: pre }}\n\
         .bold {{ font-weight: bold }} .dim {{ fill: #9198a1 }} .underline {{ text-decoration: underline }}\n\
         .red {{ fill: #ff7b72 }} .green {{ fill: #56d364 }} .yellow {{ fill: #e3b341 }} .cyan {{ fill: #76e3ea }}\n\
         </style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#0d1117\"/>\n"
    );
    for (number, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
        let below = MARGIN + (number + 1) * LINE - 5;
        write!(svg, "<text x=\"{MARGIN}\" y=\"{below}\" xml:space=\"preserve\">").expect("written");
        for part in line.chunk_by(|a, b| a.1 == b.1) {
            let text: String = part.iter().map(|(character, _)| escaped(*character)).collect();
            match part[0].1.as_str() {
                "" => svg += &text,
                classes => write!(svg, "<tspan class=\"{classes}\">{text}</tspan>").expect("written"),
            }
        }
        svg += "</text>\n";
    }
    svg + "</svg>\n"
}

fn escaped(character: char) -> String {
    match character {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        control if control.is_control() => panic!("{control:?} in a picture"),
        shown => shown.to_string(),
    }
}

#[test]
fn the_readme_s_picture_is_what_the_demo_shows() {
    let project = Project::new();
    let coloured = project.run(&["demo", "--color", "always"]).finish();
    coloured.expect_status(0).expect_nowhere(&["[project]"]);
    let picture = drawn(&coloured.stdout);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/report.svg");
    if std::env::var_os("MCP_PIN_UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("created");
        std::fs::write(&path, &picture).expect("written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("docs/report.svg: {error}"));
    assert_eq!(committed, picture, "docs/report.svg isn't what the demo shows: run .ci/picture");

    // A strict reader of it reads the demo's words, in order.
    let plain = project.run(&["demo", "--color", "never"]).finish().stdout;
    let document = roxmltree::Document::parse(&picture).expect("XML");
    let lines = document.descendants().filter(|node| node.has_tag_name("text"));
    let read: String = lines
        .flat_map(|line| line.descendants())
        .filter(|node| node.is_text())
        .filter_map(|node| node.text())
        .collect();
    assert_eq!(read, plain.replace('\n', ""));
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).expect("README.md");
    assert!(readme.contains("](docs/report.svg)"));
}

#[test]
fn a_picture_holds_text_alone_whatever_the_text_is() {
    let picture = drawn("\u{1b}[1m\u{1b}[31m</text><script>&\u{1b}[0m  b\n\n\u{1b}[2mc\u{1b}[0m\n");
    let document = roxmltree::Document::parse(&picture).expect("XML");
    let names: Vec<&str> = document
        .root_element()
        .children()
        .filter(|node| node.is_element())
        .map(|node| node.tag_name().name())
        .collect();
    assert_eq!(names, ["title", "style", "rect", "text", "text"]);
    assert!(
        picture.contains("<tspan class=\"bold red\">&lt;/text&gt;&lt;script&gt;&amp;</tspan>  b</text>"),
        "{picture}"
    );
    let long = drawn(&"a".repeat(COLUMNS + 1));
    assert_eq!(long.matches("<text ").count(), 2);
}
