//! Names made from the user's names.

use proc_macro2::{Ident, Span};
use quote::format_ident;
use syn::Member;
use syn::ext::IdentExt as _;

/// `PlayerHealth` as `player_health`, the name of its accessor.
pub(crate) fn snake_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (i, letter) in letters.iter().enumerate() {
        // A word begins after a letter that is not a capital, and at the last capital of several ("HTTPPort").
        let begins = i > 0
            && letter.is_uppercase()
            && letters[i - 1] != '_'
            && (!letters[i - 1].is_uppercase() || letters.get(i + 1).is_some_and(|next| next.is_lowercase()));
        if begins {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

/// The English plural of a word in snake case, by the regular rules; irregular ones are named with `as`.
pub(crate) fn plural(word: &str) -> String {
    let ends_in = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    match word.strip_suffix('y') {
        Some(stem) if !stem.is_empty() && !stem.ends_with(['a', 'e', 'i', 'o', 'u', '_']) => {
            format!("{stem}ies")
        }
        _ if ends_in(&["s", "x", "z", "ch", "sh"]) => format!("{word}es"),
        _ => format!("{word}s"),
    }
}

/// `name` as an identifier at `span`, raw if it is a keyword; `None` for the keywords that cannot be raw.
pub(crate) fn ident(name: &str, span: Span) -> Option<Ident> {
    match name {
        "self" | "super" | "crate" | "_" => None,
        _ if is_keyword(name) => Some(Ident::new_raw(name, span)),
        _ => Some(Ident::new(name, span)),
    }
}

/// Whether `name` may only be used as an identifier with `r#`.
pub(crate) fn is_keyword(name: &str) -> bool {
    syn::parse_str::<Ident>(name).is_err()
}

/// Whether a name is in snake case.
pub(crate) fn is_snake_case(name: &str) -> bool {
    syn::parse_str::<Ident>(name).is_ok_and(|_| snake_case(name) == name && !name.starts_with('_'))
}

/// What a member is called: its name, or its number.
pub(crate) fn member(member: &Member) -> String {
    match member {
        Member::Named(name) => name.unraw().to_string(),
        Member::Unnamed(number) => number.index.to_string(),
    }
}

/// The constant that holds the wire of a field: `__WIRE_HP` for `hp`.
///
/// The underscores keep it apart from what the user's own expressions name.
pub(crate) fn wire_const(stem: &str) -> Ident {
    constant("WIRE", stem)
}

/// The constant that holds the default of a field where the compiler must look at it: `__DEFAULT_HP` for `hp`.
pub(crate) fn default_const(stem: &str) -> Ident {
    constant("DEFAULT", stem)
}

/// The constant that holds the table of a variant's fields, or of its words: `__FIELDS_WALK` for `Walk`.
pub(crate) fn constant(what: &str, stem: &str) -> Ident {
    format_ident!("__{what}_{}", stem.to_uppercase(), span = Span::call_site())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accessors_are_snake_case() {
        for (name, snake) in [
            ("Health", "health"),
            ("PlayerHealth", "player_health"),
            ("HTTPPort", "http_port"),
            ("AI", "ai"),
            ("Slot2", "slot2"),
            ("Slot2Item", "slot2_item"),
            ("Already_Snake", "already_snake"),
            ("Größe", "größe"),
        ] {
            assert_eq!(snake_case(name), snake);
        }
    }

    #[test]
    fn tables_are_plural() {
        for (word, words) in [
            ("health", "healths"),
            ("dead", "deads"),
            ("ability", "abilities"),
            ("key", "keys"),
            ("y", "ys"),
            ("bus", "buses"),
            ("box", "boxes"),
            ("quiz", "quizes"),
            ("torch", "torches"),
            ("crash", "crashes"),
        ] {
            assert_eq!(plural(word), words);
        }
    }

    #[test]
    fn keywords_become_raw_where_they_can() {
        let raw = |name| ident(name, Span::call_site()).map(|ident| ident.to_string());
        assert_eq!(raw("health").as_deref(), Some("health"));
        assert_eq!(raw("type").as_deref(), Some("r#type"));
        assert_eq!(raw("crate"), None);
    }
}
