//! Reads the list.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Error, Expr, Path, Token, Visibility, bracketed};

use crate::errors::Errors;
use crate::names;

/// What the user wrote.
pub(crate) struct State {
    /// The path of the runtime.
    pub(crate) runtime: TokenStream,
    pub(crate) max_entities: Option<Expr>,
    /// The components, in the order of the list.
    pub(crate) components: Vec<Component>,
    /// The commands, in the order of the list.
    pub(crate) commands: Option<Vec<Path>>,
    /// The events, in the order of the list.
    pub(crate) events: Option<Vec<Path>>,
}

/// One component of the list.
pub(crate) struct Component {
    /// The visibility of its table; `pub` when nothing is written.
    pub(crate) vis: Visibility,
    pub(crate) path: Path,
    /// The name of its table.
    pub(crate) table: Ident,
}

impl State {
    /// Reads settings and components up to the end; a mistake in one of them leaves just that one out.
    pub(crate) fn parse(input: ParseStream<'_>, errors: &mut Errors) -> Result<Self, Error> {
        let runtime;
        bracketed!(runtime in input);
        let runtime = runtime.parse()?;
        let mut state =
            Self { runtime, max_entities: None, components: Vec::new(), commands: None, events: None };
        while !input.is_empty() {
            // A colon instead of the equals sign is told as such.
            let assigns = input.peek2(Token![=]) || (input.peek2(Token![:]) && !input.peek2(Token![::]));
            let is_setting = input.peek(Ident::peek_any) && assigns;
            let read = if is_setting {
                state.read_setting(input, errors)
            } else {
                state.read_component(input, errors)
            };
            if let Err(error) = read {
                errors.push(error);
                skip_entry(input)?;
            }
        }
        Ok(state)
    }

    fn read_setting(&mut self, input: ParseStream<'_>, errors: &mut Errors) -> Result<(), Error> {
        let name = input.call(Ident::parse_any)?;
        if let Some(colon) = input.parse::<Option<Token![:]>>()? {
            errors.at(colon, format_args!("a setting is written with `=`: write `{name} = ..;`"));
        } else {
            input.parse::<Token![=]>()?;
        }
        let twice = || Error::new(name.span(), format_args!("`{name}` is there twice: keep one"));
        match name.to_string().as_str() {
            "max_entities" => {
                if self.max_entities.replace(input.parse()?).is_some() {
                    return Err(twice());
                }
            }
            "commands" => {
                if self.commands.replace(read_paths(input)?).is_some() {
                    return Err(twice());
                }
            }
            "events" => {
                if self.events.replace(read_paths(input)?).is_some() {
                    return Err(twice());
                }
            }
            _ => {
                let text = format!(
                    "there is no setting `{name}`: write `max_entities = 4096;`, `commands = [Input];` or \
                     `events = [Hit];`"
                );
                return Err(Error::new(name.span(), text));
            }
        }
        if input.peek(Token![,]) {
            return Err(input.error(format_args!("a setting ends with `;`: write `{name} = ..;`")));
        }
        input.parse::<Token![;]>()?;
        Ok(())
    }

    fn read_component(&mut self, input: ParseStream<'_>, errors: &mut Errors) -> Result<(), Error> {
        let vis = match input.parse()? {
            Visibility::Inherited => Visibility::Public(<Token![pub]>::default()),
            written => written,
        };
        let path = input.call(Path::parse_mod_style)?;
        let table = if input.parse::<Option<Token![as]>>()?.is_some() {
            written_table(input)?
        } else {
            default_table(&path)?
        };
        self.components.push(Component { vis, path, table });
        if input.is_empty() || input.parse::<Option<Token![,]>>()?.is_some() {
            return Ok(());
        }
        if input.peek(Token![<]) {
            return Err(input.error("a component has no generics: write its name alone"));
        }
        let error = input
            .error("components are separated by commas: write one before this, or `as` and a table's name");
        // What looks like a type is the next of the list.
        let fork = input.fork();
        let next = fork.call(Ident::parse_any).map(|next| next.to_string()).unwrap_or_default();
        if next.starts_with(char::is_uppercase) {
            errors.push(error);
            return Ok(());
        }
        Err(error)
    }
}

/// Reads `[A, b::C]`.
fn read_paths(input: ParseStream<'_>) -> Result<Vec<Path>, Error> {
    let list;
    bracketed!(list in input);
    let paths = Punctuated::<Path, Token![,]>::parse_terminated_with(&list, Path::parse_mod_style)?;
    Ok(paths.into_iter().collect())
}

fn written_table(input: ParseStream<'_>) -> Result<Ident, Error> {
    let table = input.call(Ident::parse_any)?;
    if names::is_keyword(&table.to_string()) {
        let text = format!("`{table}` is a keyword: call the table something else");
        return Err(Error::new(table.span(), text));
    }
    Ok(table)
}

fn default_table(path: &Path) -> Result<Ident, Error> {
    let Some(last) = path.segments.last() else {
        return Err(Error::new_spanned(path, "the name of a component is expected"));
    };
    let table = names::plural(&names::snake_case(&last.ident.unraw().to_string()));
    if names::is_keyword(&table) {
        let text =
            format!("its table would be called `{table}`, a keyword: write `{} as other_name`", last.ident);
        return Err(Error::new_spanned(path, text));
    }
    Ok(Ident::new(&table, last.ident.span()))
}

/// Goes on after the next `,` or `;`.
fn skip_entry(input: ParseStream<'_>) -> Result<(), Error> {
    while !input.is_empty() {
        if let TokenTree::Punct(punct) = input.parse()?
            && matches!(punct.as_char(), ',' | ';')
        {
            break;
        }
    }
    Ok(())
}
