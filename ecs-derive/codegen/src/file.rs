//! Expands a whole file, for tools that show what the macros write.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, File, Item, ItemMacro, Meta, Path};

use crate::errors::{Errors, Failure};
use crate::model::Kind;
use crate::{expand_item, state};

/// Expands every `#[component]`, `#[command]`, `#[event]`, `#[value]` and `game_state!` of a file, in its inline modules too.
///
/// # Errors
/// Those of the source's syntax, and every mistake that the macros would report.
pub fn expand_file(source: &str) -> Result<File, syn::Error> {
    let mut file = syn::parse_file(source)?;
    let mut errors = Errors::default();
    expand_items(&mut file.items, &mut errors)?;
    errors.finish(file)
}

fn expand_items(items: &mut Vec<Item>, errors: &mut Errors) -> Result<(), syn::Error> {
    for mut item in core::mem::take(items) {
        let expansion = match &mut item {
            Item::Struct(item) => expand_annotated(take_macro(&mut item.attrs), &*item),
            Item::Enum(item) => expand_annotated(take_macro(&mut item.attrs), &*item),
            Item::Union(item) => expand_annotated(take_macro(&mut item.attrs), &*item),
            Item::Macro(item) => expand_state(item),
            Item::Mod(module) => {
                if let Some((_, items)) = &mut module.content {
                    expand_items(items, errors)?;
                }
                None
            }
            _ => None,
        };
        match expansion {
            None => items.push(item),
            Some(Ok(tokens)) => items.extend(syn::parse2::<File>(tokens)?.items),
            Some(Err(failure)) => errors.push(failure.error),
        }
    }
    Ok(())
}

/// Takes our attribute off an item, with its arguments.
fn take_macro(attrs: &mut Vec<Attribute>) -> Option<(Kind, TokenStream)> {
    let kind = |path: &Path| Kind::named(&path.segments.last()?.ident.to_string());
    let (at, kind) = attrs.iter().enumerate().find_map(|(at, attr)| Some((at, kind(attr.path())?)))?;
    let args = match attrs.remove(at).meta {
        Meta::List(list) => list.tokens,
        _ => TokenStream::new(),
    };
    Some((kind, args))
}

fn expand_annotated(
    found: Option<(Kind, TokenStream)>,
    item: &impl ToTokens,
) -> Option<Result<TokenStream, Failure>> {
    let (kind, args) = found?;
    Some(expand_item(kind, &args, item.to_token_stream()))
}

/// Expands `path::game_state! { .. }`; `path` is then the runtime, as `$crate` is in a compiler run.
fn expand_state(item: &ItemMacro) -> Option<Result<TokenStream, Failure>> {
    let mut runtime = item.mac.path.clone();
    if runtime.segments.pop()?.ident != "game_state" {
        return None;
    }
    runtime.segments.pop_punct();
    let runtime = if runtime.segments.is_empty() { quote!(ecs_runtime) } else { quote!(#runtime) };
    let tokens = &item.mac.tokens;
    Some(state::expand(quote! { [#runtime] #tokens }))
}
