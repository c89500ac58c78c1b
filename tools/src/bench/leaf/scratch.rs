//! The folder of the made-up crate, and cargo in it.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::time::Instant;

use super::cost::{self, Cost};
use super::{File, LeafError};

/// What crate is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crate {
    pub(crate) name: &'static str,
    /// What it depends on, each with its folder in the workspace of this tool.
    pub(crate) dependencies: &'static [(&'static str, &'static str)],
    /// What else is in its manifest.
    pub(crate) manifest: &'static str,
    /// The file that cargo looks for, which is empty until somebody writes another.
    pub(crate) root: &'static str,
}

/// The crate in the system's folder for temporary files, with a target folder of its own. Gone when it is dropped.
pub(crate) struct Scratch {
    made: Crate,
    folder: PathBuf,
    /// Whether every version is in a lock file already, so that nobody needs to ask the registry.
    offline: bool,
}

impl Scratch {
    /// Makes the crate, still without components.
    pub(crate) fn new(made: Crate) -> Result<Self, LeafError> {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(""));
        let mut dependencies = Vec::new();
        for &(name, folder) in made.dependencies {
            let folder = workspace.join(folder);
            if !folder.join("Cargo.toml").is_file() {
                return Err(LeafError::NoDependency { name, folder });
            }
            dependencies.push((name, folder));
        }
        let folder = env::temp_dir().join(format!("tools-{}-{}", made.name, process::id()));
        // Not `create_dir_all`: what is there already belongs to somebody else.
        fs::create_dir(&folder).map_err(|source| LeafError::Write { path: folder.clone(), source })?;
        let mut scratch = Self { made, folder, offline: false };
        scratch.write(&File::new("Cargo.toml", manifest(made, &dependencies)))?;
        scratch.write(&File::new(made.root, String::new()))?;
        // The versions that this tool was built with, which are on this machine.
        if let Ok(text) = fs::read_to_string(workspace.join("Cargo.lock")) {
            scratch.write(&File::new("Cargo.lock", text))?;
            scratch.offline = true;
        }
        Ok(scratch)
    }

    /// Where the crate is.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The program that `cargo build --release` makes of it.
    pub(crate) fn program(&self) -> PathBuf {
        let name = format!("{}{}", self.made.name, env::consts::EXE_SUFFIX);
        self.folder.join("target").join("release").join(name)
    }

    /// Writes a file, and the folders that it is in.
    pub(crate) fn write(&self, file: &File) -> Result<(), LeafError> {
        let path = self.folder.join(&file.path);
        let folders = path.parent().map_or(Ok(()), fs::create_dir_all);
        folders
            .and_then(|()| fs::write(&path, &file.text))
            .map_err(|source| LeafError::Write { path, source })
    }

    /// Writes all files.
    pub(crate) fn write_all(&self, files: &[File]) -> Result<(), LeafError> {
        files.iter().try_for_each(|file| self.write(file))
    }

    /// Forgets everything that was compiled of the crate itself, with `arguments` such as `["--release"]`.
    pub(crate) fn forget(&self, arguments: &[&str]) -> Result<(), LeafError> {
        self.cargo(&[&["clean", "--package", self.made.name], arguments].concat()).map(|_| ())
    }

    /// Runs cargo, such as `["build", "--release"]`, and tells what it cost.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Result<Cost, LeafError> {
        let program = env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from);
        let mut cargo = Command::new(&program);
        cargo.current_dir(&self.folder).args(arguments).args(["--quiet", "--color", "never"]);
        cargo.arg("--target-dir").arg(self.folder.join("target"));
        if self.offline {
            cargo.arg("--offline");
        }
        // As a team compiles: whatever this process was started with.
        cargo.env_remove("CARGO_INCREMENTAL").stdin(Stdio::null());
        let (cpu, start) = (cost::cpu_of_children(), Instant::now());
        let output = cargo.output().map_err(|source| LeafError::Start { program, source })?;
        let wall_s = start.elapsed().as_secs_f64();
        if !output.status.success() {
            let stderr = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
            return Err(LeafError::Cargo { command: arguments.join(" "), stderr });
        }
        let cpu_s = cpu.zip(cost::cpu_of_children()).map(|(before, after)| after - before);
        Ok(Cost { wall_s, cpu_s })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nobody is there to be told, and the system cleans up its temporary files some day.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn manifest(Crate { name, manifest, .. }: Crate, dependencies: &[(&str, PathBuf)]) -> String {
    let mut text = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n[dependencies]\n"
    );
    for (name, folder) in dependencies {
        // Strings of JSON are strings of TOML.
        let folder = serde_json::Value::from(folder.to_string_lossy());
        let _ = writeln!(text, "{name} = {{ path = {folder} }}");
    }
    text + manifest + "\n# A workspace of its own, wherever the folder is.\n[workspace]\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRATE: Crate = Crate {
        name: "bench-scratch",
        dependencies: &[("ecs-runtime", "ecs-runtime")],
        manifest: "",
        root: "src/lib.rs",
    };

    #[test]
    fn the_folder_has_a_crate_and_is_gone_afterwards() {
        let scratch = Scratch::new(CRATE).expect("a folder");
        let folder = scratch.folder.clone();
        let file = File::new("src/a/b.rs", "//! B.\n".to_owned());
        scratch.write_all(&[file]).expect("a file");
        for name in ["Cargo.toml", "Cargo.lock", "src/lib.rs", "src/a/b.rs"] {
            assert!(folder.join(name).is_file(), "{name} is missing");
        }
        drop(scratch);
        assert!(!folder.exists());
    }

    #[test]
    fn a_dependency_that_is_gone_is_named() {
        let gone = Scratch::new(Crate { dependencies: &[("nobody", "tools/nobody")], ..CRATE });
        assert!(matches!(gone, Err(LeafError::NoDependency { name: "nobody", .. })));
    }

    #[test]
    fn the_manifest_finds_dependencies_under_any_path() {
        let folder = PathBuf::from("C:\\the \"team\"\\ecs-runtime");
        let text = manifest(CRATE, &[("ecs-runtime", folder)]);
        let expected = "ecs-runtime = { path = \"C:\\\\the \\\"team\\\"\\\\ecs-runtime\" }";
        assert!(text.contains(expected), "{text}");
    }
}
