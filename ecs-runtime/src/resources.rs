//! What systems share beside the world, found by its type.

use core::any::{Any, TypeId, type_name};
use core::fmt;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

/// Values of any types, one of each type, and any number of each under names.
///
/// It lives in the context of the systems, for what is not known where the context is written: plug-ins, libraries of
/// systems, settings from a file. What is known there is better a field of the context.
///
/// A state is copied, compared and sent; a resource is not, and is no part of it. A rollback does not take it back, and a
/// client has none of the server's. What is to be copied with the state, or to be seen by clients, is a component of which
/// there is one: [`#[component(singleton)]`](macro@crate::component).
///
/// ```
/// use ecs_runtime::Resources;
///
/// struct Gravity(f32);
/// #[derive(Debug, PartialEq)]
/// struct Route(Vec<[i32; 2]>);
///
/// let mut resources = Resources::new();
/// resources.insert(Gravity(9.81));
/// if let Some(gravity) = resources.get_mut::<Gravity>() {
///     gravity.0 /= 2.0;
/// }
/// assert_eq!(resources.get::<Gravity>().map(|gravity| gravity.0), Some(4.905));
///
/// resources.insert_named("south", Route(vec![[0, 0], [0, -9]]));
/// resources.insert_named("north", Route(vec![[0, 0], [0, 9]]));
/// assert_eq!(resources.named::<Route>("north"), Some(&Route(vec![[0, 0], [0, 9]])));
/// let names: Vec<_> = resources.iter_named::<Route>().map(|(name, _)| name).collect();
/// assert_eq!(names, ["north", "south"]);
/// ```
#[derive(Default)]
pub struct Resources {
    /// Never iterated over where the order could be seen, for it has none.
    by_type: HashMap<TypeId, Resource>,
}

struct Resource {
    type_name: &'static str,
    value: Box<dyn Any + Send + Sync>,
}

/// The resources of one type that have names: a resource of a type that nobody else can name.
struct Named<R>(BTreeMap<Cow<'static, str>, R>);

impl Resources {
    /// No resources.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a resource, and returns the one of this type that it replaces.
    pub fn insert<R: Any + Send + Sync>(&mut self, resource: R) -> Option<R> {
        let resource = Resource { type_name: type_name::<R>(), value: Box::new(resource) };
        self.by_type.insert(TypeId::of::<R>(), resource)?.take()
    }

    /// The resource of a type.
    #[must_use]
    pub fn get<R: Any + Send + Sync>(&self) -> Option<&R> {
        self.by_type.get(&TypeId::of::<R>())?.value.downcast_ref()
    }

    /// The resource of a type, to be changed.
    #[must_use]
    pub fn get_mut<R: Any + Send + Sync>(&mut self) -> Option<&mut R> {
        self.by_type.get_mut(&TypeId::of::<R>())?.value.downcast_mut()
    }

    /// The resources of two types, to be changed together; `None` also if it is one type twice.
    #[must_use]
    pub fn get_both_mut<R: Any + Send + Sync, S: Any + Send + Sync>(&mut self) -> Option<(&mut R, &mut S)> {
        let (first, second) = (TypeId::of::<R>(), TypeId::of::<S>());
        if first == second {
            return None;
        }
        let [first, second] = self.by_type.get_disjoint_mut([&first, &second]);
        Some((first?.value.downcast_mut()?, second?.value.downcast_mut()?))
    }

    /// The resource of a type, to be changed, which is made if it is not there.
    pub fn get_or_insert_with<R: Any + Send + Sync>(&mut self, make: impl FnOnce() -> R) -> &mut R {
        let make = || Resource { type_name: type_name::<R>(), value: Box::new(make()) };
        let resource = self.by_type.entry(TypeId::of::<R>()).or_insert_with(make);
        resource.value.downcast_mut().expect("a resource at the place of its type")
    }

    /// Whether there is a resource of a type.
    #[must_use]
    pub fn contains<R: Any + Send + Sync>(&self) -> bool {
        self.by_type.contains_key(&TypeId::of::<R>())
    }

    /// Takes the resource of a type out.
    pub fn remove<R: Any + Send + Sync>(&mut self) -> Option<R> {
        self.by_type.remove(&TypeId::of::<R>())?.take()
    }

    /// Adds a resource under a name, and returns the one of this type and name that it replaces.
    pub fn insert_named<R>(&mut self, name: impl Into<Cow<'static, str>>, resource: R) -> Option<R>
    where
        R: Any + Send + Sync,
    {
        self.get_or_insert_with(|| Named(BTreeMap::new())).0.insert(name.into(), resource)
    }

    /// The resource of a type and name.
    #[must_use]
    pub fn named<R: Any + Send + Sync>(&self, name: &str) -> Option<&R> {
        self.get::<Named<R>>()?.0.get(name)
    }

    /// The resource of a type and name, to be changed.
    #[must_use]
    pub fn named_mut<R: Any + Send + Sync>(&mut self, name: &str) -> Option<&mut R> {
        self.get_mut::<Named<R>>()?.0.get_mut(name)
    }

    /// Takes the resource of a type and name out.
    pub fn remove_named<R: Any + Send + Sync>(&mut self, name: &str) -> Option<R> {
        self.get_mut::<Named<R>>()?.0.remove(name)
    }

    /// The resources of a type that have names, in the order of the names' bytes.
    pub fn iter_named<R: Any + Send + Sync>(&self) -> impl Iterator<Item = (&str, &R)> {
        let named = self.get::<Named<R>>().into_iter();
        named.flat_map(|named| named.0.iter().map(|(name, resource)| (&**name, resource)))
    }

    /// The resources of a type that have names, to be changed, in the order of the names' bytes.
    pub fn iter_named_mut<R: Any + Send + Sync>(&mut self) -> impl Iterator<Item = (&str, &mut R)> {
        let named = self.get_mut::<Named<R>>().into_iter();
        named.flat_map(|named| named.0.iter_mut().map(|(name, resource)| (&**name, resource)))
    }
}

impl Resource {
    fn take<R: Any>(self) -> Option<R> {
        self.value.downcast().ok().map(|value| *value)
    }
}

/// The types, in the order of their names.
impl fmt::Debug for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut types: Vec<_> = self.by_type.values().map(|resource| resource.type_name).collect();
        types.sort_unstable();
        f.debug_tuple("Resources").field(&types).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn there_is_one_of_each_type_and_inserting_returns_the_one_before() {
        let mut resources = Resources::new();
        assert_eq!(resources.insert(1_u8), None);
        assert_eq!(resources.insert(10_u16), None);
        assert_eq!(resources.insert(2_u8), Some(1));
        *resources.get_mut::<u16>().expect("there is one") += 1;
        assert_eq!((resources.get::<u8>(), resources.get::<u16>()), (Some(&2), Some(&11)));
        assert_eq!(resources.get::<u32>(), None);
        assert_eq!(resources.remove::<u8>(), Some(2));
        assert_eq!(resources.remove::<u8>(), None);
        assert!(!resources.contains::<u8>() && resources.contains::<u16>());
    }

    #[test]
    fn what_is_named_is_found_by_both_name_and_type() {
        let mut resources = Resources::new();
        assert_eq!(resources.insert_named("speed", 1_u8), None);
        assert_eq!(resources.insert_named(String::from("speed"), 1.5_f32), None);
        assert_eq!(resources.insert_named("speed", 2_u8), Some(1));
        *resources.named_mut::<f32>("speed").expect("there is one") *= 2.0;
        assert_eq!((resources.named("speed"), resources.named("speed")), (Some(&2_u8), Some(&3.0_f32)));
        assert_eq!(resources.named::<u8>("height"), None);
        assert_eq!(resources.get::<u8>(), None, "the one without a name is another");
        assert_eq!(resources.remove_named::<u8>("speed"), Some(2));
        assert_eq!(resources.remove_named::<u8>("speed"), None);
        assert_eq!(resources.named::<f32>("speed"), Some(&3.0));
    }

    #[test]
    fn names_are_iterated_in_their_order_whatever_the_order_of_inserting() {
        let mut resources = Resources::new();
        for name in ["west", "east", "Ost", "north"] {
            resources.insert_named(name, name.len());
        }
        for (_, length) in resources.iter_named_mut::<usize>() {
            *length += 1;
        }
        let named: Vec<_> = resources.iter_named::<usize>().collect();
        assert_eq!(named, [("Ost", &4), ("east", &5), ("north", &6), ("west", &5)]);
        assert_eq!(resources.iter_named::<u8>().count(), 0);
    }

    #[test]
    fn two_types_are_changed_together_but_no_type_twice() {
        let mut resources = Resources::new();
        resources.insert(1_u8);
        assert_eq!(resources.get_both_mut::<u8, u16>(), None, "one is not there");
        resources.insert(2_u16);
        let (small, large) = resources.get_both_mut::<u8, u16>().expect("both are there");
        (*small, *large) = (large.to_le_bytes()[0], (*small).into());
        assert_eq!((resources.get::<u8>(), resources.get::<u16>()), (Some(&2), Some(&1)));
        assert_eq!(resources.get_both_mut::<u8, u8>(), None);
    }

    #[test]
    fn what_is_there_is_not_made_again() {
        let mut resources = Resources::new();
        resources.get_or_insert_with(|| vec![1]).push(2);
        resources.get_or_insert_with(Vec::<i32>::new).push(3);
        assert_eq!(resources.get(), Some(&vec![1, 2, 3]));
    }

    #[test]
    fn what_is_replaced_removed_or_left_behind_is_freed() {
        let (mut resources, token) = (Resources::new(), Arc::new(()));
        resources.insert(Arc::clone(&token));
        resources.insert(Arc::clone(&token));
        resources.insert_named("other", Arc::clone(&token));
        assert_eq!(Arc::strong_count(&token), 3);
        resources.remove::<Arc<()>>();
        assert_eq!(Arc::strong_count(&token), 2);
        drop(resources);
        assert_eq!(Arc::strong_count(&token), 1);
    }

    #[test]
    fn a_debugger_shows_which_types_there_are() {
        let mut resources = Resources::new();
        resources.insert(1_u8);
        resources.insert(1_i8);
        resources.insert_named("one", 1_u8);
        let shown = r#"Resources(["ecs_runtime::resources::Named<u8>", "i8", "u8"])"#;
        assert_eq!(format!("{resources:?}"), shown);
    }
}
