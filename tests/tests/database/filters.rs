//! Filters that are nested as one likes.

use ecs_runtime::prelude::*;
use ecs_runtime::world::Kind;
use proptest::prelude::*;

use crate::model::{Both, actions};

/// What a query visits in each of its forms, which have to agree.
macro_rules! visited {
    ($query:expr) => {{
        let by_iterator: Vec<Entity> = $query.iter().map(|(entity, ..)| entity).collect();
        let (mut by_closure, mut by_block) = (Vec::new(), Vec::new());
        $query.for_each(|entity, _| by_closure.push(entity));
        $query
            .for_each_block(|block, _| by_block.extend(block.lanes().filter_map(|lane| block.entity(lane))));
        assert_eq!(by_iterator, by_closure);
        assert_eq!(by_iterator, by_block);
        by_iterator
    }};
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn filters_let_through_what_they_say(actions in actions()) {
        let mut both = Both::default();
        for action in actions {
            both.act(action);
        }
        let gs = &both.world;
        let (shielded, stunned) = (gs.shields.present(), gs.stuns.present());
        let (healthy, dead) = (gs.healths.present(), gs.is_deads.present());
        let fighters = gs.ids.of_kinds([Kind(1), Kind(3)]);

        let found = visited!((&gs.places,).filter(!dead & (stunned | !shielded) & fighters));
        prop_assert_eq!(found, both.those(|row| {
            row.place.is_some()
                && row.is_dead.is_none()
                && (row.stun.is_some() || !row.is_shielded())
                && [1, 3].contains(&row.kind)
        }));

        let found = visited!((&gs.places,).filter(!(dead | !(healthy & shielded)) | (!fighters & stunned)));
        prop_assert_eq!(found, both.those(|row| {
            let full = row.health.is_some() && row.is_shielded();
            row.place.is_some()
                && (row.is_dead.is_none() && full || ![1, 3].contains(&row.kind) && row.stun.is_some())
        }));

        let found = visited!((&gs.healths,).filter((gs.shields.disabled() | stunned) & !dead));
        prop_assert_eq!(found, both.those(|row| {
            row.health.is_some() && row.is_dead.is_none() && (row.is_down || row.stun.is_some())
        }));
        prop_assert_eq!(visited!((&gs.shields,).filter(gs.shields.disabled())), []);

        let query = (&gs.places, &gs.healths).filter(!!stunned & !(dead & dead)).without(&gs.shields);
        prop_assert_eq!(visited!(query), both.those(|row| {
            row.place.is_some()
                && row.health.is_some()
                && row.stun.is_some()
                && row.is_dead.is_none()
                && !row.is_shielded()
        }));
        for entity in both.those(|_| true) {
            let row = &both.model[&entity.index()];
            let matches = row.stun.is_some() && row.is_dead.is_none() && !row.is_shielded();
            let wanted = row.place.as_ref().zip(row.health.as_ref()).filter(|_| matches);
            prop_assert_eq!(query.get(entity), wanted);
        }
    }
}
