//! The delta codec on random worlds and baselines, without a connection around it.

use ecs_runtime::Tick;
use ecs_runtime::codec::{
    Account, Baselines, BitReader, BitWriter, DecodeError, Decoded, Encode, EntityDecoder, Layout, StateView,
    States, Usual, encode_entity, encode_list,
};
use ecs_runtime::prelude::*;
use ecs_runtime::schema::is_there;
use ecs_runtime::snapshot::{EntityView, History};
use proptest::prelude::*;

use crate::GameState;
use crate::world::Hand;

/// Two snapshots of a world, `changes` random changes apart.
fn two_snapshots(seed: u64, changes: usize) -> History {
    let mut history = History::new(Layout::new(GameState::SCHEMA), 4);
    let mut world = GameState::default();
    let mut hand = Hand::new(seed, 80);
    hand.fill(&mut world, 40);
    hand.play(&mut world, 60);
    history.capture(&mut world, Tick(1));
    hand.play(&mut world, changes);
    history.capture(&mut world, Tick(2));
    history
}

/// All indices that are alive in either snapshot, with the states before and after.
fn changes(history: &History) -> Vec<(u32, Option<EntityView<'_>>, Option<EntityView<'_>>)> {
    let (before, after) = (history.at(Tick(1)).expect("kept"), history.at(Tick(2)).expect("kept"));
    let all = 0..before.end().max(after.end());
    let both = all.map(|index| (index, before.entity(index), after.entity(index)));
    both.filter(|(_, before, after)| before.is_some() || after.is_some()).collect()
}

/// The two snapshots, as the encoder wants to see them.
struct Both<'a>(&'a History);

impl States for Both<'_> {
    type State<'a>
        = EntityView<'a>
    where
        Self: 'a;

    fn baselines(&self, index: u32) -> Baselines<EntityView<'_>> {
        Baselines::of(1, self.0.at(Tick(1)).expect("kept").entity(index))
    }

    fn now(&self, index: u32) -> Option<EntityView<'_>> {
        self.0.at(Tick(2)).expect("kept").entity(index)
    }
}

fn encode(history: &History, out: &mut impl Encode) {
    let indices: Vec<_> = changes(history).into_iter().map(|(index, ..)| index).collect();
    let encode =
        |out: &mut BitWriter, index| encode_entity(out, history.layout(), index, &Both(history), false);
    let mut alone = BitWriter::default();
    let entities = indices.iter().map(|&index| (index, encode(&mut alone, index)));
    let entities: Vec<_> = entities.collect();
    encode_list(out, Usual::default(), &entities.iter().copied(), |out, at| {
        encode_entity(out, history.layout(), indices[at], &Both(history), false);
    });
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

/// Decodes everything against the first snapshot.
fn decode(history: &History, bytes: &[u8]) -> Result<Vec<DecodedEntity>, DecodeError> {
    let before = history.at(Tick(1)).expect("kept");
    let mut decoder = EntityDecoder::new(BitReader::new(bytes), history.layout(), &[])?;
    let mut decoded = Vec::new();
    while let Some(index) = decoder.next_index()? {
        let mut words = Vec::new();
        let state = decoder.entity(&Baselines::of(1, before.entity(index)), &mut words)?;
        decoded.push((index, matches!(state, Decoded::State | Decoded::Fresh).then_some(words)));
    }
    Ok(decoded)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_encoded_against_a_baseline_decodes_against_it(seed: u64, count in 0usize..400) {
        let history = two_snapshots(seed, count);
        let mut writer = BitWriter::default();
        encode(&history, &mut writer);
        let mut account = Account::new(GameState::SCHEMA.components.len());
        encode(&history, &mut account);
        prop_assert_eq!(account.body() as usize, writer.len_bits());

        let mut decoded = decode(&history, writer.finish()).expect("honest bits");
        // Those of which only values differ come first.
        decoded.sort_by_key(|(index, _)| *index);
        let expected: Vec<_> = changes(&history)
            .into_iter()
            .map(|(index, _, after)| (index, after.map(|after| flat(history.layout(), &after))))
            .collect();
        prop_assert_eq!(decoded, expected);
    }

    #[test]
    fn any_bits_decode_to_states_within_their_ranges_or_to_an_error(seed: u64, bytes: Vec<u8>) {
        let history = two_snapshots(seed % 8, 50);
        let Ok(decoded) = decode(&history, &bytes) else { return Ok(()) };
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
    let history = two_snapshots(5, 30);
    let mut writer = BitWriter::default();
    encode(&history, &mut writer);
    let bytes = writer.finish();
    let mut decoder = EntityDecoder::new(BitReader::new(bytes), history.layout(), &[]).expect("an order");
    let index = decoder.next_index().expect("honest").expect("an entity");
    let error =
        decoder.entity(&Baselines::<EntityView<'_>>::default(), &mut Vec::new()).expect_err("no baseline");
    assert!(matches!(error, DecodeError::NoBaseline { index: named, .. } if named == index), "{error}");
}
