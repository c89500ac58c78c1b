//! Numbers that the user wrote as literals, which can be checked before the compiler sees them.

use syn::{Expr, Lit, LitStr, UnOp};

/// The value of an integer literal, negative ones too; `None` for any other expression.
pub(crate) fn int(expr: &Expr) -> Option<i128> {
    match expr {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Int(int) => int.base10_parse().ok(),
            _ => None,
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => int(&unary.expr)?.checked_neg(),
        Expr::Paren(paren) => int(&paren.expr),
        Expr::Group(group) => int(&group.expr),
        _ => None,
    }
}

/// The type that is written behind an integer literal.
pub(crate) fn suffix(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Int(int) => Some(int.suffix().to_owned()).filter(|suffix| !suffix.is_empty()),
            Lit::Float(float) => Some(float.suffix().to_owned()).filter(|suffix| !suffix.is_empty()),
            _ => None,
        },
        Expr::Unary(unary) => suffix(&unary.expr),
        Expr::Paren(paren) => suffix(&paren.expr),
        Expr::Group(group) => suffix(&group.expr),
        _ => None,
    }
}

/// The value of a float or integer literal, negative ones too; `None` for any other expression.
pub(crate) fn float(expr: &Expr) -> Option<f64> {
    match expr {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Float(float) => float.base10_parse().ok(),
            Lit::Int(int) => int.base10_parse().ok(),
            _ => None,
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => Some(-float(&unary.expr)?),
        Expr::Paren(paren) => float(&paren.expr),
        Expr::Group(group) => float(&group.expr),
        _ => None,
    }
}

/// The elements of nested array expressions; the expression itself if it is no array.
pub(crate) fn elements(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Array(array) => array.elems.iter().flat_map(elements).collect(),
        Expr::Repeat(repeat) => elements(&repeat.expr),
        // An `Option`.
        Expr::Call(call) if matches!(&*call.func, Expr::Path(path) if path.path.is_ident("Some")) => {
            call.args.iter().flat_map(elements).collect()
        }
        Expr::Path(path) if path.path.is_ident("None") => Vec::new(),
        Expr::Paren(paren) => elements(&paren.expr),
        Expr::Group(group) => elements(&group.expr),
        _ => vec![expr],
    }
}

/// A text literal.
pub(crate) fn text(expr: &Expr) -> Option<LitStr> {
    match expr {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Str(text) => Some(text.clone()),
            _ => None,
        },
        _ => None,
    }
}
