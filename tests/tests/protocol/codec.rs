//! The delta codec on random worlds and baselines, without a connection around it.

use ecs_runtime::Tick;
use ecs_runtime::codec::{
    Account, Baselines, BitReader, BitWriter, DecodeError, Decoded, Encode, EntityDecoder, Layout, Place,
    StateView, States, Usual, encode_entity, encode_list,
};
use ecs_runtime::prelude::*;
use ecs_runtime::schema::is_there;
use ecs_runtime::snapshot::{EntityView, History};
use proptest::prelude::*;

use crate::GameState;
use crate::world::Hand;

/// The ticks of the states that both sides know, and that of the newest, which one side tells.
const KNOWN: [u64; 5] = [1, 2, 4, 5, 9];
const NOW: Tick = Tick(12);

/// Snapshots of a world, `changes` random changes apart in all.
fn snapshots(seed: u64, changes: usize) -> History {
    let mut history = History::new(Layout::new(GameState::SCHEMA), 8);
    let mut world = GameState::default();
    let mut hand = Hand::new(seed, 80);
    hand.fill(&mut world, 40);
    hand.play(&mut world, 60);
    for tick in KNOWN {
        history.capture(&mut world, Tick(tick));
        hand.play(&mut world, changes / KNOWN.len());
        if seed.is_multiple_of(2) {
            // Much moves on.
            world.positions.iter_mut().for_each(|(_, position)| position.at[1] += 0.25);
        }
    }
    history.capture(&mut world, NOW);
    history
}

/// The newest state that both sides know of an entity.
fn confirmed(history: &History, index: u32) -> Option<EntityView<'_>> {
    history.at(Tick(KNOWN[KNOWN.len() - 1])).expect("kept").entity(index)
}

/// All indices that are alive in either snapshot, with the states before and after.
fn changes(history: &History) -> Vec<(u32, Option<EntityView<'_>>, Option<EntityView<'_>>)> {
    let after = history.at(NOW).expect("kept");
    let both =
        (0..GameState::MAX_ENTITIES).map(|index| (index, confirmed(history, index), after.entity(index)));
    both.filter(|(_, before, after)| before.is_some() || after.is_some()).collect()
}

/// What both sides know of an entity: its states back to another entity at its index.
fn baselines(history: &History, index: u32) -> Baselines<EntityView<'_>> {
    let mut baselines = Baselines::default();
    let Some(newest) = confirmed(history, index) else { return baselines };
    for tick in KNOWN.into_iter().rev() {
        let state = history.at(Tick(tick)).expect("kept").entity(index);
        let Some(state) = state.filter(|state| state.generation() == newest.generation()) else { break };
        baselines.push((NOW.0 - tick) as u32, state);
    }
    baselines
}

/// The entities that are taken for usual: some of those that both sides know.
fn usual(history: &History) -> Vec<u32> {
    (0..GameState::MAX_ENTITIES)
        .filter(|index| index % 5 != 0 && confirmed(history, *index).is_some())
        .collect()
}

/// The snapshots, as the encoder wants to see them.
struct Both<'a>(&'a History);

impl States for Both<'_> {
    type State<'a>
        = EntityView<'a>
    where
        Self: 'a;

    fn baselines(&self, index: u32) -> Baselines<EntityView<'_>> {
        baselines(self.0, index)
    }

    fn now(&self, index: u32) -> Option<EntityView<'_>> {
        self.0.at(NOW).expect("kept").entity(index)
    }
}

/// Writes all entities that differ, and tells how many were written as usual ones that move on.
fn encode(history: &History, usual: &[u32], out: &mut impl Encode) -> usize {
    let differs = |(_, before, after): &(u32, Option<EntityView<'_>>, Option<EntityView<'_>>)| {
        before.map(|before| flat(history.layout(), &before))
            != after.map(|after| flat(history.layout(), &after))
    };
    let indices: Vec<_> = changes(history).into_iter().filter(differs).map(|(index, ..)| index).collect();
    let usual = Usual::new(usual, Usual::among(usual, &indices));
    let mut alone = BitWriter::default();
    let entities = indices.iter().map(|&index| {
        (index, encode_entity(&mut alone, history.layout(), index, &Both(history), usual.treats(index)))
    });
    let entities: Vec<_> = entities.collect();
    encode_list(out, usual, &entities.iter().copied(), |out, at| {
        encode_entity(out, history.layout(), indices[at], &Both(history), usual.treats(indices[at]));
    });
    entities.iter().filter(|(_, place)| *place == Place::Usual).count()
}

/// The words of a state in one piece, as the decoder gives them.
fn flat(layout: &Layout, state: &EntityView<'_>) -> Vec<u32> {
    let mut words = state.header().to_vec();
    for &component in layout.sent() {
        words.extend_from_slice(state.row(component));
    }
    words
}

/// An index, and the words of its state; none if it is gone.
type DecodedEntity = (u32, Option<Vec<u32>>);

/// Decodes everything against what is known.
fn decode(history: &History, usual: &[u32], bytes: &[u8]) -> Result<Vec<DecodedEntity>, DecodeError> {
    let mut decoder = EntityDecoder::new(BitReader::new(bytes), history.layout(), usual, |_| 0)?;
    let mut decoded = Vec::new();
    while let Some(index) = decoder.next_index()? {
        let mut words = Vec::new();
        let state = decoder.entity(&baselines(history, index), &mut words)?;
        decoded.push((index, matches!(state, Decoded::State | Decoded::Fresh).then_some(words)));
    }
    Ok(decoded)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_encoded_against_baselines_decodes_against_them(seed: u64, count in 0usize..400, any_usual: bool) {
        let history = snapshots(seed, count);
        let usual = if any_usual { usual(&history) } else { Vec::new() };
        let mut writer = BitWriter::default();
        let moving = encode(&history, &usual, &mut writer);
        prop_assert!(any_usual || moving == 0);
        let mut account = Account::new(GameState::SCHEMA.components.len());
        encode(&history, &usual, &mut account);
        prop_assert_eq!(account.body() as usize, writer.len_bits());

        let mut decoded = decode(&history, &usual, writer.finish()).expect("honest bits");
        // Those of which only values differ come first.
        decoded.sort_by_key(|(index, _)| *index);
        let expected: Vec<_> = changes(&history)
            .into_iter()
            .map(|(index, before, after)| {
                let words = |state: Option<EntityView<'_>>| state.map(|state| flat(history.layout(), &state));
                (index, words(before), words(after))
            })
            .filter(|(_, before, after)| before != after)
            .map(|(index, _, after)| (index, after))
            .collect();
        prop_assert_eq!(decoded, expected);
    }

    #[test]
    fn any_bits_decode_to_states_within_their_ranges_or_to_an_error(seed: u64, bytes: Vec<u8>, any_usual: bool) {
        let history = snapshots(seed % 8, 50);
        let usual = if any_usual { usual(&history) } else { Vec::new() };
        let Ok(decoded) = decode(&history, &usual, &bytes) else { return Ok(()) };
        for (index, words) in decoded {
            prop_assert!(index < GameState::MAX_ENTITIES);
            let Some(words) = words else { continue };
            prop_assert_eq!(words[0] % 2, 1, "a generation is odd");
            let mut rest = &words[history.layout().header_len()..];
            for &component in history.layout().sent() {
                if words[1] >> component & 1 == 1 {
                    let words = history.layout().words(component);
                    let (row, behind) = rest.split_at(words.len());
                    rest = behind;
                    for (at, word) in words.iter().enumerate() {
                        prop_assert!(row[at] <= word.max);
                        prop_assert!(row[at] == 0 || is_there(words, row, at), "word {} of {}", at, component);
                    }
                }
            }
            prop_assert!(rest.is_empty(), "no words but those of its components");
        }
    }
}

#[test]
fn a_difference_without_a_baseline_names_the_entity() {
    let history = snapshots(5, 30);
    let mut writer = BitWriter::default();
    encode(&history, &[], &mut writer);
    let bytes = writer.finish();
    let mut decoder =
        EntityDecoder::new(BitReader::new(bytes), history.layout(), &[], |_| 0).expect("an order");
    let index = decoder.next_index().expect("honest").expect("an entity");
    let error =
        decoder.entity(&Baselines::<EntityView<'_>>::default(), &mut Vec::new()).expect_err("no baseline");
    assert!(matches!(error, DecodeError::NoBaseline { index: named, .. } if named == index), "{error}");
}

#[test]
fn where_the_usual_ones_mostly_differ_some_are_told_in_runs() {
    let in_runs = |seed| {
        let history = snapshots(seed, 20);
        let differing = |(index, ..): &(u32, _, _)| index % 5 != 0 && confirmed(&history, *index).is_some();
        let usual: Vec<_> =
            changes(&history).iter().filter(|change| differing(change)).map(|(index, ..)| *index).collect();
        encode(&history, &usual, &mut BitWriter::default())
    };
    assert!((0..20).map(|seed| in_runs(2 * seed)).sum::<usize>() > 20);
}
