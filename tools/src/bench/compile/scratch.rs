//! The folder of the made-up crate, and cargo in it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::time::Instant;

use super::CompileError;
use super::cpu;
use super::report::Cost;
use super::sources::{CRATE, File};

/// A crate in the system's folder for temporary files, with a target folder of its own. Gone when it is dropped.
pub(super) struct Scratch {
    folder: PathBuf,
    /// Whether every version is in a lock file already, so that nobody needs to ask the registry.
    offline: bool,
}

impl Scratch {
    /// Makes the crate, still without components.
    pub(super) fn new() -> Result<Self, CompileError> {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(""));
        let runtime = workspace.join("ecs-runtime");
        if !runtime.join("Cargo.toml").is_file() {
            return Err(CompileError::NoRuntime(runtime));
        }
        let folder = env::temp_dir().join(format!("tools-bench-compile-{}", process::id()));
        // Not `create_dir_all`: what is there already belongs to somebody else.
        fs::create_dir(&folder).map_err(|source| CompileError::Write { path: folder.clone(), source })?;
        let mut scratch = Self { folder, offline: false };
        scratch.write(&File { path: "Cargo.toml".into(), text: manifest(&runtime) })?;
        scratch.write(&File { path: "src/lib.rs".into(), text: String::new() })?;
        // The versions that this tool was built with, which are on this machine.
        if let Ok(text) = fs::read_to_string(workspace.join("Cargo.lock")) {
            scratch.write(&File { path: "Cargo.lock".into(), text })?;
            scratch.offline = true;
        }
        Ok(scratch)
    }

    /// Writes a file, and the folders that it is in.
    pub(super) fn write(&self, file: &File) -> Result<(), CompileError> {
        let path = self.folder.join(&file.path);
        let folders = path.parent().map_or(Ok(()), fs::create_dir_all);
        folders
            .and_then(|()| fs::write(&path, &file.text))
            .map_err(|source| CompileError::Write { path, source })
    }

    /// Writes all files.
    pub(super) fn write_all(&self, files: &[File]) -> Result<(), CompileError> {
        files.iter().try_for_each(|file| self.write(file))
    }

    /// Forgets everything that was compiled of the crate itself.
    pub(super) fn forget(&self) -> Result<(), CompileError> {
        self.run("clean", &["--package", CRATE]).map(|_| ())
    }

    /// Runs `cargo check` or `cargo build`, and tells what it cost.
    pub(super) fn cargo(&self, command: &'static str) -> Result<Cost, CompileError> {
        self.run(command, &[])
    }

    fn run(&self, command: &'static str, arguments: &[&str]) -> Result<Cost, CompileError> {
        let program = env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from);
        let mut cargo = Command::new(&program);
        cargo.current_dir(&self.folder).arg(command).args(arguments).args(["--quiet", "--color", "never"]);
        cargo.arg("--target-dir").arg(self.folder.join("target"));
        if self.offline {
            cargo.arg("--offline");
        }
        // As a team compiles: whatever this process was started with.
        cargo.env_remove("CARGO_INCREMENTAL").stdin(Stdio::null());
        let (cpu, start) = (cpu::of_children(), Instant::now());
        let output = cargo.output().map_err(|source| CompileError::Start { program, source })?;
        let wall_s = start.elapsed().as_secs_f64();
        if !output.status.success() {
            let stderr = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
            return Err(CompileError::Cargo { command, stderr });
        }
        let cpu_s = cpu.zip(cpu::of_children()).map(|(before, after)| after - before);
        Ok(Cost { wall_s, cpu_s })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nobody is there to be told, and the system cleans up its temporary files some day.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn manifest(runtime: &Path) -> String {
    // Strings of JSON are strings of TOML.
    let runtime = serde_json::Value::from(runtime.to_string_lossy());
    format!(
        "[package]\nname = \"{CRATE}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [dependencies]\necs-runtime = {{ path = {runtime} }}\n\n\
         # A workspace of its own, wherever the folder is.\n[workspace]\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_has_a_crate_and_is_gone_afterwards() {
        let scratch = Scratch::new().expect("a folder");
        let folder = scratch.folder.clone();
        let file = File { path: "src/a/b.rs".into(), text: "//! B.\n".to_owned() };
        scratch.write_all(&[file]).expect("a file");
        for name in ["Cargo.toml", "Cargo.lock", "src/lib.rs", "src/a/b.rs"] {
            assert!(folder.join(name).is_file(), "{name} is missing");
        }
        drop(scratch);
        assert!(!folder.exists());
    }

    #[test]
    fn the_manifest_finds_the_runtime_under_any_path() {
        let text = manifest(Path::new("C:\\the \"team\"\\ecs-runtime"));
        assert!(text.contains("path = \"C:\\\\the \\\"team\\\"\\\\ecs-runtime\""), "{text}");
    }
}
