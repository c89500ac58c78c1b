//! Several components at once, for entities that begin with them.

use super::{CreateError, EntityMut, GameWorld, HasTable, Kind};
use crate::{Component, Entity};

/// Components that an entity begins with: a tuple of one to eight of different types, or of such tuples.
pub trait Bundle<W: GameWorld>: BundlePart<W> {}

/// One part of a [`Bundle`]: a component, or a tuple of parts.
#[doc(hidden)]
pub trait BundlePart<W: GameWorld> {
    /// The components with a number below 64, a bit each: they go into the entity's mask at once.
    const MASK: u64;

    /// Whether nobody is told of any of them, and none is a singleton.
    const PLAIN: bool;

    /// Puts its components, which are plain, on an entity that has none of them, and notes in the mask those that are not
    /// in `MASK`.
    fn put(self, world: &mut W, entity: Entity);

    /// Puts its components on an entity, and tells nobody.
    fn put_any(self, world: &mut W, entity: Entity);

    /// Tells whoever wants to know of its components.
    fn tell(world: &mut W, entity: Entity);
}

impl<W: HasTable<C>, C: Component> BundlePart<W> for C {
    const MASK: u64 = {
        let id = <W as HasTable<C>>::ID.0;
        if id < 64 { 1 << id } else { 0 }
    };

    const PLAIN: bool = !C::SINGLETON && !C::ON_ADD;

    #[inline]
    fn put(self, world: &mut W, entity: Entity) {
        let id = <W as HasTable<C>>::ID;
        if id.0 >= 64 {
            world.ids_mut().set_component(const { W::SCHEMA.mask_words() }, entity, id);
        }
        world.table_mut().insert(entity, self);
    }

    fn put_any(self, world: &mut W, entity: Entity) {
        if let Ok(mut entity) = EntityMut::new(world, entity) {
            if C::SINGLETON {
                entity.take_from_others::<C>();
            }
            entity.put(self);
        }
    }

    fn tell(world: &mut W, entity: Entity) {
        if C::ON_ADD && HasTable::<C>::table(world).contains(entity) {
            C::on_add(world, entity);
        }
    }
}

macro_rules! bundle {
    ($($part:ident $at:tt),*) => {
        impl<W: GameWorld, $($part: BundlePart<W>),*> Bundle<W> for ($($part,)*) {}

        impl<W: GameWorld, $($part: BundlePart<W>),*> BundlePart<W> for ($($part,)*) {
            const MASK: u64 = 0 $(| $part::MASK)*;
            const PLAIN: bool = true $(&& $part::PLAIN)*;

            #[inline]
            fn put(self, world: &mut W, entity: Entity) {
                $(self.$at.put(world, entity);)*
            }

            fn put_any(self, world: &mut W, entity: Entity) {
                $(self.$at.put_any(world, entity);)*
            }

            fn tell(world: &mut W, entity: Entity) {
                $($part::tell(world, entity);)*
            }
        }
    };
}

bundle!(A 0);
bundle!(A 0, B 1);
bundle!(A 0, B 1, C 2);
bundle!(A 0, B 1, C 2, D 3);
bundle!(A 0, B 1, C 2, D 3, E 4);
bundle!(A 0, B 1, C 2, D 3, E 4, F 5);
bundle!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
bundle!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);

/// Creates an entity of a kind with components.
#[inline]
pub fn spawn<W: GameWorld, B: Bundle<W>>(
    world: &mut W,
    kind: Kind,
    components: B,
) -> Result<Entity, CreateError> {
    let entity = super::create(world, kind)?;
    if B::PLAIN {
        world.ids_mut().set_first_components(const { W::SCHEMA.mask_words() }, entity, B::MASK);
        components.put(world, entity);
    } else {
        components.put_any(world, entity);
        B::tell(world, entity);
    }
    Ok(entity)
}
