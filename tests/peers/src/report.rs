//! How results are shown: as text for people, or as one JSON object for programs.

use core::fmt;
use std::io::{self, ErrorKind, Write};

use serde::Serialize;

/// Prints a result; with `json` as one object and nothing else.
pub(crate) fn print(result: &(impl Serialize + fmt::Display), json: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let printed = if json {
        serde_json::to_writer_pretty(&mut out, result).map_err(io::Error::from).and_then(|()| writeln!(out))
    } else {
        write!(out, "{result}")
    };
    match printed.and_then(|()| out.flush()) {
        // Who reads only the first lines does not want to hear about the others.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        printed => printed,
    }
}
