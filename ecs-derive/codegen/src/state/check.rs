//! Checks the list, and leaves out what is wrong.

use proc_macro2::Span;
use quote::format_ident;
use syn::{Error, Path, parse_quote};

use super::parse::State;
use crate::errors::Errors;
use crate::literal;

/// The largest `max_entities`: an index of 20 bits.
pub(crate) const MAX_MAX_ENTITIES: u32 = 1 << 20;

/// A component's number on the wire has 16 bits.
const MAX_COMPONENTS: usize = u16::MAX as usize;

/// Reports every mistake of the list, and repairs it so that a state can be written.
pub(crate) fn repair(state: &mut State, errors: &mut Errors) {
    // Not when the only entry could not be read.
    if state.components.is_empty() && errors.is_empty() {
        errors.push(Error::new(Span::call_site(), "the list is empty: name a component, such as `Health`"));
    }
    max_entities(state, errors);
    duplicates(state, errors);
    if let Some(component) = state.components.get(MAX_COMPONENTS) {
        errors.at(&component.path, format_args!("a state has at most {MAX_COMPONENTS} components"));
    }
    state.components.truncate(MAX_COMPONENTS);
}

fn max_entities(state: &mut State, errors: &mut Errors) {
    match &state.max_entities {
        None => {
            let text = "`max_entities` is missing: write `max_entities = 4096;` before the components";
            errors.push(Error::new(Span::call_site(), text));
        }
        Some(number) => match literal::int(number) {
            Some(value) if !(1..=i128::from(MAX_MAX_ENTITIES)).contains(&value) => {
                errors.at(number, format_args!("`max_entities` is a number from 1 to {MAX_MAX_ENTITIES}"));
            }
            _ => return,
        },
    }
    state.max_entities = Some(parse_quote!(1));
}

fn duplicates(state: &mut State, errors: &mut Errors) {
    let mut kept: Vec<super::parse::Component> = Vec::new();
    for component in state.components.drain(..) {
        let (path, table) = (&component.path, &component.table);
        if kept.iter().any(|other| other.path == *path) {
            errors.at(path, "this component is there twice: keep one");
            continue;
        }
        let taken = if table == "ids" {
            errors.at(table, "`ids` are the state's own: name the table with `as`");
            true
        } else if kept.iter().any(|other| other.table == *table) {
            errors.at(table, format_args!("two tables are called `{table}`: name this one with `as`"));
            true
        } else {
            false
        };
        if !taken {
            kept.push(component);
            continue;
        }
        // Under a name that nobody else has, so that the component itself is on the list.
        let table = format_ident!("__{table}_{}", kept.len(), span = table.span());
        kept.push(super::parse::Component { table, ..component });
    }
    state.components = kept;
    for (list, what) in [(&mut state.commands, "command"), (&mut state.events, "event")] {
        let mut kept = Vec::new();
        for path in list.iter_mut().flat_map(|list| list.drain(..)) {
            let called = |path: &Path| path.segments.last().map(|last| last.ident.to_string());
            if kept.contains(&path) {
                errors.at(&path, format_args!("this {what} is there twice: keep one"));
                continue;
            }
            if kept.iter().any(|other| called(other) == called(&path)) {
                errors
                    .at(&path, format_args!("two {what}s of one name look alike in the schema: rename one"));
            }
            kept.push(path);
        }
        *list = Some(kept);
    }
}
