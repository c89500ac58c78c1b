//! By what entities are found: the marks of fields, and the arguments `index(..)` and `key(..)`, as one list.

use proc_macro2::Ident;
use syn::ext::IdentExt as _;
use syn::{Data, DeriveInput};

use crate::args::ItemArgs;
use crate::attr::{FieldAttrs, Relation, WhenGone};
use crate::errors::Errors;
use crate::model::Field;
use crate::types::{Layer, Leaf, Shape};

/// What the marks of one field say.
#[derive(Clone, Copy)]
pub(crate) struct FieldIndex {
    pub(crate) is_unique: bool,
    /// If it refers to an entity: what happens when that is destroyed.
    pub(crate) relation: Option<WhenGone>,
}

/// One index of a component.
pub(crate) struct Index<'m> {
    /// What its constant is called: `TEAM_SLOT`.
    pub(crate) stem: String,
    /// What a person calls it: `team, slot`.
    pub(crate) name: String,
    pub(crate) fields: Vec<&'m Field>,
    /// Where its fields are named together, the names there.
    pub(crate) named: &'m [Ident],
    pub(crate) is_unique: bool,
    pub(crate) relation: Option<WhenGone>,
}

impl FieldIndex {
    /// What the marks of a field say together.
    pub(crate) fn parse(attrs: &FieldAttrs, shape: &Shape, errors: &mut Errors) -> Option<Self> {
        let (index, unique) = (&attrs.marks.index, &attrs.marks.unique);
        if let (Some(index), Some(_)) = (index, unique) {
            errors.at(index, "entities are found by what is `#[unique]` already: remove `#[index]`");
        }
        if let Some(Relation { name, .. }) = &attrs.relation {
            let alone = matches!(shape.leaf, Leaf::Entity | Leaf::OptionalEntity) && shape.layers.is_empty();
            let list = shape.leaf == Leaf::Entity && matches!(*shape.layers, [Layer::List(_)]);
            if !alone && !list {
                let text = "a relation refers to entities: write it on an `Entity`, an `Option<Entity>` or a \
                            `List<Entity, N>`";
                errors.at(name, text);
            }
            if let Some(index) = index {
                errors.at(index, "entities are found by a `#[relation]` already: remove `#[index]`");
            }
        }
        let relation = attrs.relation.as_ref().map(|relation| relation.when_gone);
        let is_one = index.is_some() || unique.is_some() || relation.is_some();
        is_one.then_some(Self { is_unique: unique.is_some(), relation })
    }
}

/// All indices of a component: those of its fields first.
pub(crate) fn of<'m>(fields: &'m [Field], args: &'m ItemArgs) -> Vec<Index<'m>> {
    let alone = fields.iter().filter_map(|field| {
        let FieldIndex { is_unique, relation } = field.index?;
        let (stem, name) = (field.stem.to_uppercase(), crate::names::member(&field.member));
        Some(Index { stem, name, fields: vec![field], named: &[], is_unique, relation })
    });
    let together = args.indices.iter().map(|index| {
        let names: Vec<_> = index.names.iter().map(|name| name.unraw().to_string()).collect();
        let named = |name: &String| fields.iter().find(|field| crate::names::member(&field.member) == *name);
        let fields: Vec<_> = names.iter().filter_map(named).collect();
        let stems: Vec<_> = fields.iter().map(|field| field.stem.to_uppercase()).collect();
        Index {
            stem: stems.join("_"),
            name: names.join(", "),
            fields,
            named: &index.names,
            is_unique: index.is_unique,
            relation: None,
        }
    });
    alone.chain(together).collect()
}

/// Refuses names in `index(..)` and `key(..)` that no field has, or that are there twice.
pub(crate) fn check_names(args: &ItemArgs, input: &DeriveInput, errors: &mut Errors) {
    let Data::Struct(data) = &input.data else { return };
    for index in &args.indices {
        for (at, name) in index.names.iter().enumerate() {
            if index.names[..at].contains(name) {
                errors.at(name, format_args!("`{name}` is there twice: keep one"));
            } else if !data.fields.iter().any(|field| field.ident.as_ref() == Some(name)) {
                let names: Vec<_> = data.fields.iter().filter_map(|field| field.ident.as_ref()).collect();
                let only = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                let instead = if only.is_empty() {
                    "give the fields names".into()
                } else {
                    format!("write one of {only}")
                };
                errors.at(name, format_args!("there is no field `{name}`: {instead}"));
            }
        }
    }
}
