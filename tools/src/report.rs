//! How results are shown: as text for people, or as one JSON object for programs.

use core::fmt;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use ecs_runtime::codec::Account;
use ecs_runtime::schema::Schema;
use serde::{Serialize, Serializer};

use crate::cli::CoderArg;

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

/// How packets were coded.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct CodedBy {
    coder: CoderArg,
    /// The file of the priors, or what else they are; nothing without any.
    priors: Option<String>,
}

impl CodedBy {
    /// By a coder, and the priors of a file if there is one.
    pub(crate) fn new(coder: CoderArg, priors: Option<&Path>) -> Self {
        Self { coder, priors: priors.map(|path| path.display().to_string()) }
    }

    /// By a coder, and priors that come from no file.
    pub(crate) fn with(coder: CoderArg, priors: &str) -> Self {
        Self { coder, priors: Some(priors.to_owned()) }
    }
}

impl fmt::Display for CodedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let coder = match self.coder {
            CoderArg::Plain => "in plain bits",
            CoderArg::Arithmetic => "by the arithmetic coder",
        };
        match &self.priors {
            None => write!(f, "coded {coder}, without priors"),
            Some(priors) => write!(f, "coded {coder}, with the priors of {priors}"),
        }
    }
}

/// Where the bits of packets went: what they say, and how many bits say it. An object in JSON, in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BitRows(Vec<(&'static str, u64)>);

impl BitRows {
    /// The rows of an account: one for each component, and one for each thing that packets say besides values.
    pub(crate) fn new(schema: &Schema, account: &Account) -> Self {
        let names = schema.components.iter().map(|component| component.name);
        let mut rows: Vec<_> = names.zip(account.components.iter().copied()).collect();
        rows.extend([
            ("headers", account.headers),
            ("entity_gaps", account.gaps),
            ("entity_changes", account.entities),
            ("events_and_parts", account.extras),
            ("padding", account.padding),
        ]);
        Self(rows)
    }

    /// Adds the bits of another account of the same schema.
    pub(crate) fn add(&mut self, other: &Self) {
        if self.0.is_empty() {
            self.0.clone_from(&other.0);
            return;
        }
        for ((_, bits), (_, more)) in self.0.iter_mut().zip(&other.0) {
            *bits += more;
        }
    }

    /// What was added since an earlier account of the same schema.
    pub(crate) fn since(mut self, earlier: &Self) -> Self {
        for ((_, bits), (_, before)) in self.0.iter_mut().zip(&earlier.0) {
            *bits = bits.saturating_sub(*before);
        }
        self
    }

    /// All rows together.
    pub(crate) fn sum(&self) -> u64 {
        self.0.iter().map(|(_, bits)| bits).sum()
    }
}

impl Serialize for BitRows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

/// A table, most bits first, without the rows that have none.
impl fmt::Display for BitRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.sum().max(1) as f64;
        let mut rows: Vec<_> = self.0.iter().filter(|(_, bits)| *bits > 0).collect();
        rows.sort_by_key(|(_, bits)| core::cmp::Reverse(*bits));
        for (name, bits) in rows {
            writeln!(f, "  {name:<20} {bits:>12} bits {:>6.2} %", *bits as f64 * 100.0 / all)?;
        }
        Ok(())
    }
}
