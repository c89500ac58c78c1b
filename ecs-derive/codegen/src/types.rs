//! The types that a field may have.

use core::fmt::{self, Display};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Error, Expr, GenericArgument, Path, PathArguments, Type};

use crate::literal;

/// What one element of a field is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scalar {
    Bool,
    Int(Int),
    F32,
    Entity,
    OptionalEntity,
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

impl Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bool => "bool",
            Self::Int(int) => int.name,
            Self::F32 => "f32",
            Self::Entity => "Entity",
            Self::OptionalEntity => "Option<Entity>",
        })
    }
}

/// The type of a field: a scalar, or arrays of it.
pub(crate) struct Shape {
    pub(crate) scalar: Scalar,
    /// The scalar as the user wrote it.
    pub(crate) element: Type,
    /// The lengths of the arrays around it, the outermost first.
    pub(crate) lengths: Vec<Expr>,
}

impl Shape {
    /// Reads a field's type.
    pub(crate) fn parse(ty: &Type) -> Result<Self, Error> {
        let mut lengths = Vec::new();
        let mut element = ty;
        loop {
            match element {
                Type::Array(array) => {
                    if literal::int(&array.len) == Some(0) {
                        return Err(Error::new_spanned(
                            &array.len,
                            "an array of length 0 holds nothing: remove the field",
                        ));
                    }
                    lengths.push(array.len.clone());
                    element = &array.elem;
                }
                Type::Paren(paren) => element = &paren.elem,
                Type::Group(group) => element = &group.elem,
                _ => break,
            }
        }
        match scalar(element) {
            Ok(scalar) => Ok(Self { scalar, element: element.clone(), lengths }),
            Err(message) => Err(Error::new_spanned(element, message)),
        }
    }

    /// How many elements the field has.
    pub(crate) fn count(&self) -> TokenStream {
        let factor = |length: &Expr| match length {
            Expr::Lit(_) | Expr::Path(_) => quote!(#length),
            _ => quote!((#length)),
        };
        match &self.lengths[..] {
            [] => quote!(1),
            [length] => quote!(#length),
            [first, rest @ ..] => rest.iter().map(factor).fold(factor(first), |a, b| quote!(#a * #b)),
        }
    }
}

/// The type as the schema names it: without the paths before its names, and spaced the same in every build.
impl Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for _ in &self.lengths {
            f.write_str("[")?;
        }
        write!(f, "{}", self.scalar)?;
        for length in self.lengths.iter().rev() {
            write!(f, "; {}]", spell(length))?;
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
fn scalar(ty: &Type) -> Result<Scalar, String> {
    let path = match ty {
        Type::Path(ty) if ty.qself.is_none() => &ty.path,
        Type::Tuple(_) => return Err("a field cannot be a tuple: give each part a field of its own".into()),
        Type::Reference(_) | Type::Ptr(_) => {
            return Err("a field cannot borrow: refer to an entity with `Entity`".into());
        }
        Type::Slice(_) => return Err("a field has a fixed size: write an array, such as `[u8; 16]`".into()),
        _ => return Err(unsupported("this type")),
    };
    let Some(last) = path.segments.last() else { return Err(unsupported("this type")) };
    let name = last.ident.to_string();
    if name == "Option" {
        return optional(path);
    }
    match name.as_str() {
        "bool" => Ok(Scalar::Bool),
        "f32" => Ok(Scalar::F32),
        "Entity" => Ok(Scalar::Entity),
        _ => match Int::parse(&name) {
            Some(int) => Ok(Scalar::Int(int)),
            None => Err(instead_of(&name)),
        },
    }
}

fn optional(path: &Path) -> Result<Scalar, String> {
    if let Some(PathArguments::AngleBracketed(arguments)) = path.segments.last().map(|last| &last.arguments)
        && let Some(GenericArgument::Type(inner)) = arguments.args.first()
        && scalar(inner) == Ok(Scalar::Entity)
    {
        return Ok(Scalar::OptionalEntity);
    }
    Err("only `Option<Entity>` may be a field: for other types write the value and a `bool` beside it".into())
}

fn instead_of(name: &str) -> String {
    match name {
        "f64" => "a field cannot be an `f64`: write `f32`".into(),
        "usize" | "u128" => format!("a field cannot be a `{name}`: write `u32` or `u64`"),
        "isize" | "i128" => format!("a field cannot be an `{name}`: write `i32` or `i64`"),
        "char" => "a field cannot be a `char`: write `u32`".into(),
        "String" | "str" => {
            format!("a field cannot be a `{name}`: write an array of bytes, such as `[u8; 16]`")
        }
        "Vec" | "VecDeque" | "Box" | "HashMap" | "HashSet" | "BTreeMap" | "BTreeSet" => {
            format!("a field has a fixed size, a `{name}` has not: write an array, such as `[u8; 16]`")
        }
        _ => unsupported(&format!("`{name}`")),
    }
}

fn unsupported(what: &str) -> String {
    format!(
        "{what} cannot be a field: write `bool`, an integer of up to 64 bits, `f32`, `Entity`, `Option<Entity>` \
         or an array of these"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(ty: &str) -> String {
        let ty = syn::parse_str(ty).expect("a type");
        match Shape::parse(&ty) {
            Ok(shape) => format!("{shape} x {}", shape.count()),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn the_schema_names_types_the_same_however_they_are_written() {
        assert_eq!(shape("i32"), "i32 x 1");
        assert_eq!(shape("core::primitive::u64"), "u64 x 1");
        assert_eq!(shape("::std::option::Option< ecs::Entity >"), "Option<Entity> x 1");
        assert_eq!(shape("[f32;3]"), "[f32; 3] x 3");
        assert_eq!(
            shape("[[bool; { N as usize }]; size(2)]"),
            "[[bool; {N as usize}]; size(2)] x (size (2)) * ({ N as usize })"
        );
    }
}
