//! Several components at once, for entities that begin with them.

use super::{CreateError, GameWorld, HasTable, Kind};
use crate::{Component, Entity};

/// Components that an entity begins with: a tuple of one to eight of different types, or of such tuples.
pub trait Bundle<W: GameWorld>: BundlePart<W> {}

/// One part of a [`Bundle`]: a component, or a tuple of parts.
#[doc(hidden)]
pub trait BundlePart<W: GameWorld> {
    /// The components with a number below 64, a bit each: they go into the entity's mask at once.
    const MASK: u64;

    /// Puts its components on an entity that has none of them, and notes in the mask those that are not in `MASK`.
    fn put(self, world: &mut W, entity: Entity);
}

impl<W: HasTable<C>, C: Component> BundlePart<W> for C {
    const MASK: u64 = {
        let id = <W as HasTable<C>>::ID.0;
        if id < 64 && !C::SINGLETON { 1 << id } else { 0 }
    };

    #[inline]
    fn put(self, world: &mut W, entity: Entity) {
        if C::SINGLETON {
            // Another entity loses it.
            if let Ok(mut entity) = super::EntityMut::new(world, entity) {
                entity.add(self);
            }
            return;
        }
        let id = <W as HasTable<C>>::ID;
        if id.0 >= 64 {
            world.ids_mut().set_component(const { W::SCHEMA.mask_words() }, entity, id);
        }
        world.table_mut().insert(entity, self);
    }
}

macro_rules! bundle {
    ($($part:ident $at:tt),*) => {
        impl<W: GameWorld, $($part: BundlePart<W>),*> Bundle<W> for ($($part,)*) {}

        impl<W: GameWorld, $($part: BundlePart<W>),*> BundlePart<W> for ($($part,)*) {
            const MASK: u64 = 0 $(| $part::MASK)*;

            #[inline]
            fn put(self, world: &mut W, entity: Entity) {
                $(self.$at.put(world, entity);)*
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
    world.ids_mut().set_first_components(const { W::SCHEMA.mask_words() }, entity, B::MASK);
    components.put(world, entity);
    Ok(entity)
}
