//! Which of our attributes a misspelt one was meant to be.

/// The candidate that `word` is most likely a misspelling of: at most two letters off, one in a short word.
pub(crate) fn nearest<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    candidates
        .iter()
        .map(|candidate| (distance(word, candidate), *candidate))
        .filter(|(distance, candidate)| *distance <= if candidate.len() < 5 { 1 } else { 2 })
        .min()
        .map(|(_, candidate)| candidate)
}

/// The Levenshtein distance: how many letters to insert, delete or replace.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    // Row `i` of the table holds the distances of the first `i` letters of `a` to every beginning of `b`.
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, a) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_letters() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("range", "range"), 0);
    }

    #[test]
    fn only_near_words_match() {
        let ours = ["max", "range", "interpolate", "dont_send"];
        assert_eq!(nearest("maxx", &ours), Some("max"));
        assert_eq!(nearest("rnage", &ours), Some("range"));
        assert_eq!(nearest("dontsend", &ours), Some("dont_send"));
        for foreign in ["cfg", "doc", "serde", "tag", "allow", "rename"] {
            assert_eq!(nearest(foreign, &ours), None, "{foreign}");
        }
    }
}
