//! Whether a client's world was the server's, judged by the hashes of its complete views.

use ecs_runtime::Tick;
use ecs_runtime::protocol::Verdict;

use super::TICKS_PER_SECOND;

/// What one client's complete views came to, so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Convergence {
    disagreed: u64,
    /// By second of the match: whether a view agreed.
    agreed: Vec<bool>,
    newest: Option<Tick>,
}

impl Convergence {
    /// Takes note of a complete view. Ticks count from 1.
    pub(crate) fn take(&mut self, verdict: Verdict) {
        self.newest = self.newest.max(Some(verdict.tick));
        if !verdict.agrees {
            self.disagreed += 1;
            return;
        }
        let second = second_of(verdict.tick);
        if self.agreed.len() <= second {
            self.agreed.resize(second + 1, false);
        }
        self.agreed[second] = true;
    }

    /// The tick of the newest complete view.
    pub(crate) fn newest(&self) -> Option<Tick> {
        self.newest
    }

    /// Whether every complete view was the server's state, and there was at least one in each second up to the
    /// match's last tick: so the last was less than a second old at the end.
    pub(crate) fn holds(&self, end: Tick) -> bool {
        let seconds = 0..=second_of(end);
        self.disagreed == 0
            && self.agreed.get(seconds).is_some_and(|seconds| seconds.iter().all(|&agreed| agreed))
    }
}

/// A match has at most a day's ticks, so its seconds can be counted in any `usize`.
fn second_of(tick: Tick) -> usize {
    (tick.0.saturating_sub(1) / TICKS_PER_SECOND) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A client that reports every tenth tick from 10 to 180, but for what a test changes.
    fn three_seconds(change: impl Fn(Verdict) -> Option<Verdict>) -> Convergence {
        let mut convergence = Convergence::default();
        let verdicts = (1..=18).map(|ten| Verdict { tick: Tick(ten * 10), agrees: true });
        verdicts.filter_map(change).for_each(|verdict| convergence.take(verdict));
        convergence
    }

    #[test]
    fn views_that_agree_in_each_second_converge() {
        let convergence = three_seconds(Some);
        assert_eq!(convergence.newest(), Some(Tick(180)));
        assert!(convergence.holds(Tick(180)));
    }

    #[test]
    fn one_view_that_disagrees_is_one_too_many() {
        let broken = three_seconds(|verdict| Some(Verdict { agrees: verdict.tick != Tick(90), ..verdict }));
        assert!(!broken.holds(Tick(180)));
    }

    #[test]
    fn a_second_without_a_complete_view_does_not_converge() {
        let silent =
            three_seconds(|verdict| Some(verdict).filter(|verdict| !(61..=120).contains(&verdict.tick.0)));
        assert!(!silent.holds(Tick(180)));
    }

    #[test]
    fn a_last_view_from_long_before_the_end_does_not_converge() {
        let early = three_seconds(|verdict| Some(verdict).filter(|verdict| verdict.tick <= Tick(120)));
        assert!(!early.holds(Tick(180)));
        assert!(!Convergence::default().holds(Tick(60)));
    }
}
