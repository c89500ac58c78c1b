//! The types that a field may have.

use core::fmt::{self, Display};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Error, Expr, GenericArgument, PathArguments, Type, TypePath, parse_quote};

use crate::literal;

/// What one element of a field is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Leaf {
    Bool,
    Int(Int),
    F32,
    F64,
    Entity,
    OptionalEntity,
    /// At most so many bytes.
    Text(Expr),
    /// A type of the user's or of a library: a `#[value]`, or a vector.
    Named(String),
}

/// What is around the elements.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Layer {
    Array(Expr),
    List(Expr),
    Option,
}

/// An integer type and its range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Int {
    pub(crate) name: &'static str,
    pub(crate) min: i128,
    pub(crate) max: i128,
}

impl Int {
    fn parse(name: &str) -> Option<Self> {
        const fn int(name: &'static str, min: i128, max: i128) -> Int {
            Int { name, min, max }
        }
        const INTS: [Int; 8] = [
            int("u8", 0, u8::MAX as i128),
            int("u16", 0, u16::MAX as i128),
            int("u32", 0, u32::MAX as i128),
            int("u64", 0, u64::MAX as i128),
            int("i8", i8::MIN as i128, i8::MAX as i128),
            int("i16", i16::MIN as i128, i16::MAX as i128),
            int("i32", i32::MIN as i128, i32::MAX as i128),
            int("i64", i64::MIN as i128, i64::MAX as i128),
        ];
        INTS.into_iter().find(|int| int.name == name)
    }
}

impl Display for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("bool"),
            Self::Int(int) => f.write_str(int.name),
            Self::F32 => f.write_str("f32"),
            Self::F64 => f.write_str("f64"),
            Self::Entity => f.write_str("Entity"),
            Self::OptionalEntity => f.write_str("Option<Entity>"),
            Self::Text(max) => write!(f, "Text<{}>", spell(max)),
            Self::Named(name) => f.write_str(name),
        }
    }
}

/// The type of a field: an element, or layers of arrays, lists and options around it.
pub(crate) struct Shape {
    pub(crate) leaf: Leaf,
    /// The element as the user wrote it.
    pub(crate) element: Type,
    /// The layers around it, the outermost first.
    pub(crate) layers: Vec<Layer>,
}

impl Shape {
    /// Reads a field's type.
    pub(crate) fn parse(ty: &Type) -> Result<Self, Error> {
        let mut layers = Vec::new();
        let mut element = ty;
        loop {
            match element {
                Type::Array(array) => {
                    layers.push(Layer::Array(not_zero(&array.len, "an array")?));
                    element = &array.elem;
                }
                Type::Paren(paren) => element = &paren.elem,
                Type::Group(group) => element = &group.elem,
                Type::Path(path) => match layer(path)? {
                    Some((Layer::Option, _)) if layers.last() == Some(&Layer::Option) => {
                        return Err(Error::new_spanned(path, TWICE_OPTIONAL));
                    }
                    Some((layer, inner)) => {
                        layers.push(layer);
                        element = inner;
                    }
                    None => break,
                },
                _ => break,
            }
        }
        match leaf(element) {
            Ok(Leaf::OptionalEntity) if layers.last() == Some(&Layer::Option) => {
                Err(Error::new_spanned(element, TWICE_OPTIONAL))
            }
            Ok(leaf) => Ok(Self { leaf, element: element.clone(), layers }),
            Err(message) => Err(Error::new_spanned(element, message)),
        }
    }

    /// Takes the array around the elements to be the element, for rules that are for a few numbers together; its length.
    pub(crate) fn take_array(&mut self) -> Option<Expr> {
        let Some(Layer::Array(length)) = self.layers.last().cloned() else { return None };
        let element = &self.element;
        self.element = parse_quote!([#element; #length]);
        self.layers.pop();
        Some(length)
    }
}

/// The layer that a path names, and what is inside: a list or an option. `Option<Entity>` is an element of its own.
fn layer(ty: &TypePath) -> Result<Option<(Layer, &Type)>, Error> {
    let Some(last) = ty.path.segments.last() else { return Ok(None) };
    let arguments: Vec<&GenericArgument> = match &last.arguments {
        PathArguments::AngleBracketed(arguments) => arguments.args.iter().collect(),
        _ => Vec::new(),
    };
    match (last.ident.to_string().as_str(), &arguments[..]) {
        ("Option", [GenericArgument::Type(inner)]) if leaf(inner) != Ok(Leaf::Entity) => {
            Ok(Some((Layer::Option, inner)))
        }
        ("List", [GenericArgument::Type(inner), length]) => match expr(length) {
            Some(length) => Ok(Some((Layer::List(not_zero(&length, "a list")?), inner))),
            None => Err(Error::new_spanned(length, "how many it holds is a number: write `List<u8, 16>`")),
        },
        ("List", _) => Err(Error::new_spanned(ty, "a list has a type and a maximum: write `List<u8, 16>`")),
        _ => Ok(None),
    }
}

/// Data files have one null.
const TWICE_OPTIONAL: &str =
    "an option of an option cannot be told from an empty one in a data file: write an enum with `#[value]`";

fn not_zero(length: &Expr, what: &str) -> Result<Expr, Error> {
    if literal::int(length) == Some(0) {
        let text = format!("{what} of length 0 holds nothing: remove the field");
        return Err(Error::new_spanned(length, text));
    }
    Ok(length.clone())
}

/// A generic argument as an expression: a path could be a type as well.
fn expr(argument: &GenericArgument) -> Option<Expr> {
    match argument {
        GenericArgument::Const(expr) => Some(expr.clone()),
        GenericArgument::Type(Type::Path(path)) => Some(parse_quote!(#path)),
        _ => None,
    }
}

/// The type as the schema names it: without the paths before its names, and spaced the same in every build.
impl Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for layer in &self.layers {
            f.write_str(match layer {
                Layer::Array(_) => "[",
                Layer::List(_) => "List<",
                Layer::Option => "Option<",
            })?;
        }
        write!(f, "{}", self.leaf)?;
        for layer in self.layers.iter().rev() {
            match layer {
                Layer::Array(length) => write!(f, "; {}]", spell(length))?,
                Layer::List(length) => write!(f, ", {}>", spell(length))?,
                Layer::Option => f.write_str(">")?,
            }
        }
        Ok(())
    }
}

/// Tokens as text, the same in every build: how a `TokenStream` prints itself is up to the compiler.
///
/// There is a space between two words and nowhere else.
pub(crate) fn spell(tokens: impl ToTokens) -> String {
    let mut text = String::new();
    spell_to(&mut text, tokens.to_token_stream());
    text
}

fn spell_to(text: &mut String, tokens: TokenStream) {
    for token in tokens {
        if let TokenTree::Group(group) = token {
            let (open, close) = match group.delimiter() {
                Delimiter::Parenthesis => ("(", ")"),
                Delimiter::Brace => ("{", "}"),
                Delimiter::Bracket => ("[", "]"),
                Delimiter::None => ("", ""),
            };
            text.push_str(open);
            spell_to(text, group.stream());
            text.push_str(close);
            continue;
        }
        let token = token.to_string();
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        if text.ends_with(is_word) && token.starts_with(is_word) {
            text.push(' ');
        }
        text.push_str(&token);
    }
}

/// Reads the type of an element, or says what to write instead.
fn leaf(ty: &Type) -> Result<Leaf, String> {
    let path = match ty {
        Type::Path(ty) if ty.qself.is_none() => &ty.path,
        Type::Tuple(_) => return Err("a field cannot be a tuple: give each part a field of its own".into()),
        Type::Reference(_) | Type::Ptr(_) => {
            return Err("a field cannot borrow: refer to an entity with `Entity`".into());
        }
        Type::Slice(_) => {
            return Err("a field has a fixed size: write `[u8; 16]`, or `List<u8, 16>` for up to 16".into());
        }
        _ => return Err(unsupported("this type")),
    };
    let Some(last) = path.segments.last() else { return Err(unsupported("this type")) };
    let name = last.ident.to_string();
    if let Some(instead) = instead_of(&name) {
        return Err(instead);
    }
    match (name.as_str(), &last.arguments) {
        ("Text", PathArguments::AngleBracketed(arguments)) => {
            let max = arguments.args.first().and_then(expr).filter(|_| arguments.args.len() == 1);
            let max = max.ok_or("a text has a maximum of bytes: write `Text<16>`")?;
            if literal::int(&max) == Some(0) {
                return Err("a text of 0 bytes holds nothing: remove the field".into());
            }
            Ok(Leaf::Text(max))
        }
        ("Text", _) => Err("a text has a maximum of bytes: write `Text<16>`".into()),
        ("Option", PathArguments::AngleBracketed(_)) => Ok(Leaf::OptionalEntity),
        (_, PathArguments::None) => Ok(match name.as_str() {
            "bool" => Leaf::Bool,
            "f32" => Leaf::F32,
            "f64" => Leaf::F64,
            "Entity" => Leaf::Entity,
            _ => Int::parse(&name).map_or(Leaf::Named(name), Leaf::Int),
        }),
        _ => Err(unsupported(&format!("`{name}<..>`"))),
    }
}

/// What to write instead of a type of the standard library that cannot be sent.
fn instead_of(name: &str) -> Option<String> {
    Some(match name {
        "usize" | "u128" => format!("a field cannot be a `{name}`: write `u32` or `u64`"),
        "isize" | "i128" => format!("a field cannot be an `{name}`: write `i32` or `i64`"),
        "char" => "a field cannot be a `char`: write `u32`, or `Text<4>`".into(),
        "String" | "str" => format!("a field has a fixed size, a `{name}` has not: write `Text<16>`"),
        "Vec" | "VecDeque" | "Box" | "HashMap" | "HashSet" | "BTreeMap" | "BTreeSet" => {
            format!("a field has a fixed size, a `{name}` has not: write `List<u8, 16>`")
        }
        _ => return None,
    })
}

fn unsupported(what: &str) -> String {
    format!(
        "{what} cannot be a field: write `bool`, a number, `Entity`, `Text<16>`, a `#[value]` without generics, or an \
         array, `Option` or `List` of these"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(ty: &str) -> String {
        let ty = syn::parse_str(ty).expect("a type");
        match Shape::parse(&ty) {
            Ok(shape) => shape.to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn the_schema_names_types_the_same_however_they_are_written() {
        assert_eq!(shape("i32"), "i32");
        assert_eq!(shape("core::primitive::u64"), "u64");
        assert_eq!(shape("::std::option::Option< ecs::Entity >"), "Option<Entity>");
        assert_eq!(shape("[f32;3]"), "[f32; 3]");
        assert_eq!(shape("[[bool; { N as usize }]; size(2)]"), "[[bool; {N as usize}]; size(2)]");
        assert_eq!(shape("Option<[ecs::List<items::Item, MAX>; 2]>"), "Option<[List<Item, MAX>; 2]>");
        assert_eq!(shape("ecs::Text< { 2 * N } >"), "Text<{2*N}>");
    }
}
