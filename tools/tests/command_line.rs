//! The binary as scripts use it: what it prints where, and how it exits.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

fn tools(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tools")).args(arguments).output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).expect("text")
}

/// A file for one test.
fn file(name: &str, contents: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, contents).expect("a file for the test");
    path
}

fn object(output: &Output) -> serde_json::Value {
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object and nothing else")
}

#[test]
fn a_recording_is_measured() {
    // Ten frames in which every value is 0.
    let path = file("still.bin", &vec![0; 10 * 901 * 32]);
    let path = path.to_str().expect("a plain path");
    let report = object(&tools(&["stream", path, "--json"]));
    assert_eq!((&report["coder"], &report["priors"]), (&"plain".into(), &serde_json::Value::Null));
    assert_eq!((&report["frames"], &report["packets"]), (&10.into(), &4.into()));
    assert_eq!(report["lossless"], true);
    assert_eq!(report["bits_by_component"]["Cube"], 0);
    let readable = tools(&["stream", path]);
    assert!(
        text(&readable.stdout)
            .starts_with("10 frames, 4 packets measured; coded in plain bits, without priors\n")
    );
}

#[test]
fn a_recording_that_does_not_fit_its_packets_is_no_measurement() {
    // Every cube jumps across the whole scene in each frame.
    let cube = |frame: i32| {
        [0, 0, 511, 0, 16_383, -16_383, 8_191, 1].map(|value| if frame % 2 == 0 { value } else { 0 })
    };
    let values = (0..12).flat_map(|frame| (0..901).flat_map(move |_| cube(frame)));
    let path = file("jumps.bin", &values.flat_map(i32::to_le_bytes).collect::<Vec<_>>());
    let output = tools(&["stream", path.to_str().expect("a plain path")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("lossless: NO"));
    assert!(text(&output.stderr).starts_with("error: not every frame came back as it was: "));
}

#[test]
fn the_schema_is_printed() {
    let report = object(&tools(&["schema", "--json"]));
    let hash = report["hash"].as_str().expect("a text");
    assert!(text(&tools(&["schema"]).stdout).ends_with(&format!("hash {hash}\n")));
}

#[test]
fn a_source_file_is_expanded() {
    let path = file("dead.rs", b"#[component]\npub struct Dead;\n");
    let report = object(&tools(&["expand", path.to_str().expect("a plain path"), "--json"]));
    assert!(report["expansion"].as_str().expect("a text").starts_with("#[derive("));
}

#[test]
fn faults_are_told_in_plain_words() {
    let part = file("part.bin", &[0; 7]);
    let missing = part.with_file_name("missing.bin");
    for (file, message) in [
        (part, "byte 0: the recording ends with 7 bytes of a frame, which has 28832\n"),
        (missing, "cannot open it: "),
    ] {
        let file = file.to_str().expect("a plain path");
        for arguments in [&["stream", file, "--json"][..], &["stream", file, "--cross-fit"], &["train", file]]
        {
            let output = tools(arguments);
            assert_eq!(output.status.code(), Some(1));
            let told = text(&output.stderr);
            assert!(told.starts_with(&format!("error: {file}: {message}")), "{told}");
            assert!(output.stdout.is_empty());
        }
    }
}

#[test]
fn arguments_out_of_range_are_usage_errors() {
    let loss = tools(&["match", "--loss", "150%"]);
    assert!(text(&loss.stderr).contains("a share is 0% to 100%"), "{}", text(&loss.stderr));
    for arguments in [["match", "--players", "0"], ["match", "--seconds", "0"], ["match", "--port", "65536"]]
    {
        let output = tools(&arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).starts_with("error: invalid value "), "{}", text(&output.stderr));
    }
}

#[test]
fn what_would_be_ignored_is_refused_before_any_work() {
    let path = file("short.bin", &vec![0; 10 * 901 * 32]);
    let path = path.to_str().expect("a plain path");
    for (arguments, names) in [
        (&["stream", path, "--mirrored"][..], "--cross-fit"),
        (&["stream", path, "--epochs", "3"], "--cross-fit"),
        (&["train", path, "--players", "3"], "--players"),
        (&["train", path, "--seed", "3"], "--seed"),
        (&["train", path, "--out", "no such folder/priors.json"], "no such folder/priors.json"),
    ] {
        let output = tools(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        assert!(text(&output.stderr).contains(names), "{arguments:?}: {}", text(&output.stderr));
    }
}
