//! Progress on standard error, when a person watches it.

use std::io::{IsTerminal, stderr};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// What a long run shows; nothing when standard error is no terminal. Gone when it is dropped.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Counts up to `end`.
    pub(crate) fn of(what: &'static str, end: u64) -> Self {
        let bar = ProgressBar::new(end);
        let target =
            if stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        bar.set_draw_target(target);
        if let Ok(style) =
            ProgressStyle::with_template(&format!("{{bar:40}} {{pos}} of {{len}} {what}, {{eta}} left"))
        {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// One more.
    pub(crate) fn advance(&self) {
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
