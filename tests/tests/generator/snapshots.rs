//! The expansion of each fixture, below its source.

use syn::{Expr, Item, Stmt, Type};

/// The expansion of a file, without the items that this test is not about.
fn expansion(source: &str, shown: fn(&Item) -> bool) -> String {
    let mut file = ecs_codegen::expand_file(source).expect("a fixture has no mistakes");
    file.items.retain(shown);
    for item in &mut file.items {
        if let Item::Const(item) = item
            && let Expr::Block(block) = &mut *item.expr
        {
            block.block.stmts.retain(|stmt| !matches!(stmt, Stmt::Item(item) if !shown(item)));
        }
    }
    format!("{source}\n// Expands to:\n\n{}", prettyplease::unparse(&file))
}

/// The name of the type that an item implements something for.
fn implements(item: &Item) -> Option<String> {
    let Item::Impl(item) = item else { return None };
    let Type::Path(path) = &*item.self_ty else { return None };
    Some(path.path.segments.last()?.ident.to_string())
}

/// The name of the trait that an item implements.
fn implemented(item: &Item) -> Option<String> {
    let Item::Impl(item) = item else { return None };
    Some(item.trait_.as_ref()?.0.segments.last()?.ident.to_string())
}

fn is_accessors(item: &Item) -> bool {
    implements(item).is_some_and(|name| name == "EntityRef" || name == "EntityMut")
}

/// Whether an item implements something for a type.
fn is_of(item: &Item, name: &str) -> bool {
    implements(item).is_some_and(|of| of == name)
}

macro_rules! snapshot {
    ($fixture:ident, $shown:expr) => {
        #[test]
        fn $fixture() {
            let source = include_str!(concat!("fixtures/", stringify!($fixture), ".rs"));
            insta::with_settings!({
                omit_expression => true,
                prepend_module_to_snapshot => false,
            }, {
                insta::assert_snapshot!(stringify!($fixture), expansion(source, $shown));
            });
        }
    };
}

// Accessors look alike for all components, so they are shown twice, and then alone.
snapshot!(accessors, |item| implements(item).is_none() || is_accessors(item));
snapshot!(visibility, |item| implements(item).is_none() || is_accessors(item));
snapshot!(tuple, |item| implements(item).is_none_or(|name| name != "EntityRef"));
snapshot!(singleton, |item| implements(item).is_none_or(|name| name == "GameState"));
snapshot!(component_name, |item| implements(item).is_none_or(|name| name == "EntityRef"));

snapshot!(angle, |item| !is_accessors(item));
snapshot!(arrays, |item| !is_accessors(item));
snapshot!(command, |item| !is_accessors(item));
snapshot!(doubles, |item| !is_accessors(item));
snapshot!(event, |item| !is_accessors(item));
snapshot!(marks, |item| !is_accessors(item));
snapshot!(options_and_lists, |item| !is_accessors(item));
snapshot!(rotation, |item| !is_accessors(item));
snapshot!(text, |item| !is_accessors(item));
snapshot!(value_enum, |item| !is_accessors(item) && !is_of(item, "Orders"));
snapshot!(value_struct, |item| !is_accessors(item) && !is_of(item, "Bag"));
snapshot!(default, |item| !is_accessors(item));
snapshot!(default_constant, |item| !is_accessors(item));
snapshot!(dont_send_field, |item| !is_accessors(item));
snapshot!(dont_send_struct, |item| !is_accessors(item));
snapshot!(floats, |item| !is_accessors(item));
snapshot!(integers, |item| !is_accessors(item));
snapshot!(interpolate, |item| !is_accessors(item));
snapshot!(references, |item| !is_accessors(item));
snapshot!(tag, |item| !is_accessors(item));

// Names made of names: the accessors to read are enough.
snapshot!(naming, |item| match item {
    Item::Struct(_) => false,
    item => implements(item).is_none_or(|name| name == "EntityRef"),
});

// What is the same in every state is left out.
snapshot!(state, |item| match item {
    Item::Struct(item) => item.ident == "GameState",
    Item::Impl(_) => {
        implemented(item).is_some_and(|name| ["GameWorld", "HasTable", "HasCommand"].contains(&&*name))
    }
    _ => true,
});
