//! One world of 2,000 entities, of which about half change in a tick: what it takes to quantize it, to encode the
//! difference between two ticks, and to decode that.
//!
//! - [`world`] is the workload, and [`hand`] what a person would write for it alone.
//! - [`ours`] is the codec by its public functions; [`session`] is everything around it, through the protocol.
//! - [`whole`] are serializers, which know no difference and send everything.
//!
//! One pass is 16 ticks in turn. In each, every side does its part one after the other, so that all meet the same
//! caches and the same noise; of all passes the quickest counts, by the time of the thread. A first pass, which does
//! not count, checks that every side decodes what was encoded.

mod hand;
mod ours;
mod report;
mod session;
mod whole;
mod world;

pub(crate) use ours::Soldier;
pub(crate) use report::SnapshotReport;

use hand::Row;
use ours::{Decoder, Encoder, Packets, Soldiers, Touch};
use report::{CodingRow, WholeRow};
use whole::{Bincode, Bitcode, Postcard, Rkyv, Whole};
use world::{ENTITIES, Simulation, TICKS, Unit};

use crate::cli::SnapshotArgs;
use crate::progress::Progress;
use crate::timing::Least;

/// Runs the subcommand.
pub(crate) fn run(args: &SnapshotArgs) -> SnapshotReport {
    let worlds = Simulation::pass();
    let mut coding = Coding::new(&worlds[0]);
    let mut serializers: [Box<dyn Serializer>; 4] = [
        Box::<Serialized<Bitcode>>::default(),
        Box::<Serialized<Bincode>>::default(),
        Box::<Serialized<Postcard>>::default(),
        Box::<Serialized<Rkyv>>::default(),
    ];
    coding.pass(&worlds, true);
    serializers.iter_mut().for_each(|serializer| serializer.pass(&worlds, true));
    coding.times = Times::default();
    let progress = Progress::of("passes", args.runs.into());
    for _ in 0..args.runs {
        coding.pass(&worlds, false);
        serializers.iter_mut().for_each(|serializer| serializer.pass(&worlds, false));
        progress.advance();
    }
    let [encode, decode] = [coding.times.encode.ns_per(COUNTED), coding.times.decode.ns_per(COUNTED)];
    let bytes = coding.bytes as f64 / COUNTED as f64;
    SnapshotReport {
        runs: args.runs,
        entities: ENTITIES,
        changed_per_tick: changed_per_tick(&worlds),
        coding: coding.rows(),
        whole: serializers.iter().map(|serializer| serializer.row(encode, decode, bytes)).collect(),
        warm_tick: session::warm_tick(args.runs),
    }
}

/// How many entities a pass counts: those of all its ticks.
const COUNTED: usize = ENTITIES * TICKS;

fn changed_per_tick(worlds: &[Vec<Unit>]) -> f64 {
    let ticks = worlds.iter().zip(&worlds[1..]);
    let changed =
        ticks.flat_map(|(before, now)| before.iter().zip(now)).filter(|(before, now)| before != now);
    changed.count() as f64 / TICKS as f64
}

/// The codec and its measure, side by side.
struct Coding {
    soldiers: Soldiers,
    encoder: Encoder,
    packets: Packets,
    decoder: Decoder,
    /// A world whose entities are all touched in each tick.
    all_soldiers: Soldiers,
    all_encoder: Encoder,
    /// By hand: the rows of the tick before, of the tick now, and of the other side.
    before: Vec<Row>,
    now: Vec<Row>,
    kept: Vec<Row>,
    packer: hand::Packer,
    times: Times,
    bytes: usize,
    hand_bytes: usize,
}

#[derive(Default)]
struct Times {
    quantize: Least,
    quantize_all: Least,
    encode: Least,
    decode: Least,
    hand_quantize: Least,
    hand_encode: Least,
    hand_decode: Least,
}

impl Coding {
    fn new(units: &[Unit]) -> Self {
        let rows = || vec![[0; hand::FIELDS]; ENTITIES];
        Self {
            soldiers: Soldiers::new(units, Touch::Changed),
            encoder: Encoder::new(),
            packets: Packets::default(),
            decoder: Decoder::new(),
            all_soldiers: Soldiers::new(units, Touch::All),
            all_encoder: Encoder::new(),
            before: rows(),
            now: rows(),
            kept: rows(),
            packer: hand::Packer::default(),
            times: Times::default(),
            bytes: 0,
            hand_bytes: 0,
        }
    }

    /// All ticks in turn, beginning with both ends of each side at the first world.
    ///
    /// # Panics
    /// With `check`, when a side does not decode what was encoded, or quantizes otherwise than the other.
    fn pass(&mut self, worlds: &[Vec<Unit>], check: bool) {
        for (soldiers, encoder) in
            [(&mut self.soldiers, &mut self.encoder), (&mut self.all_soldiers, &mut self.all_encoder)]
        {
            soldiers.show(&worlds[0]);
            encoder.capture(&mut soldiers.world);
        }
        self.decoder.take_over(&self.encoder);
        ours::rows(&self.encoder, &mut self.now);
        self.kept.copy_from_slice(&self.now);
        (self.bytes, self.hand_bytes) = (0, 0);
        for units in &worlds[1..] {
            self.tick(units, check);
        }
        self.times.end_pass();
    }

    fn tick(&mut self, units: &[Unit], check: bool) {
        let Self { soldiers, encoder, packets, decoder, all_soldiers, all_encoder, times, .. } = self;
        all_soldiers.show(units);
        times.quantize_all.time(|| all_encoder.capture(&mut all_soldiers.world));
        soldiers.show(units);
        times.quantize.time(|| encoder.capture(&mut soldiers.world));
        times.encode.time(|| encoder.encode(packets));
        times.decode.time(|| decoder.decode(packets));
        self.bytes += packets.len();

        let Self { before, now, kept, packer, .. } = self;
        core::mem::swap(before, now);
        times.hand_quantize.time(|| hand::quantize(units, now));
        if check {
            let mut rows = now.clone();
            ours::rows(encoder, &mut rows);
            assert!(within_a_step(&rows, now), "both quantize to the nearest step");
        }
        // Floats of another precision may round the other way; both coders get the same.
        ours::rows(encoder, now);
        let bytes = times.hand_encode.time(|| {
            packer.clear();
            hand::encode(before, now, packer);
            packer.finish()
        });
        self.hand_bytes += bytes.len();
        let read = times.hand_decode.time(|| hand::decode(bytes, kept));
        if check {
            assert_eq!(encoder.saturated(), 0, "all values are in range");
            assert_eq!(
                encoder.hash(),
                all_encoder.hash(),
                "what was touched and did not change makes no difference"
            );
            assert!(decoder.agrees(encoder), "ours decodes what was encoded");
            assert!(read.is_some() && kept == now, "by hand, what was encoded is decoded");
        }
    }

    fn rows(&self) -> Vec<CodingRow> {
        let Times { quantize, quantize_all, encode, decode, hand_quantize, hand_encode, hand_decode } =
            &self.times;
        let bytes = [self.bytes, self.hand_bytes].map(|bytes| bytes as f64 / COUNTED as f64);
        let row = |operation, ours: &Least, hand: &Least, bytes| {
            CodingRow::new(operation, ours.ns_per(COUNTED), hand.ns_per(COUNTED), bytes)
        };
        vec![
            row("quantize, what changed was touched", quantize, hand_quantize, None),
            row("quantize, all were touched", quantize_all, hand_quantize, None),
            row("encode the difference for one client", encode, hand_encode, Some(bytes)),
            row("decode the difference", decode, hand_decode, Some(bytes)),
        ]
    }
}

impl Times {
    fn end_pass(&mut self) {
        let Self { quantize, quantize_all, encode, decode, hand_quantize, hand_encode, hand_decode } = self;
        let all = [quantize, quantize_all, encode, decode, hand_quantize, hand_encode, hand_decode];
        all.into_iter().for_each(Least::end_pass);
    }
}

/// Whether no field differs by more than one, round the end included, where angles meet.
fn within_a_step(rows: &[Row], others: &[Row]) -> bool {
    rows.iter().zip(others).all(|(row, other)| {
        let words = row.iter().zip(other).zip(hand::BITS);
        words.into_iter().all(|((word, other), bits)| {
            let difference = word.wrapping_sub(*other) & ((1 << bits) - 1);
            [0, 1, (1 << bits) - 1].contains(&difference)
        })
    })
}

/// Any of the serializers.
trait Serializer {
    /// All ticks in turn.
    ///
    /// # Panics
    /// With `check`, when it does not decode what was encoded.
    fn pass(&mut self, worlds: &[Vec<Unit>], check: bool);

    /// What it came to, beside ours.
    fn row(&self, ours_encode_ns: f64, ours_decode_ns: f64, ours_bytes: f64) -> WholeRow;
}

#[derive(Default)]
struct Serialized<W> {
    whole: W,
    encode: Least,
    decode: Least,
    bytes: usize,
}

impl<W: Whole> Serializer for Serialized<W> {
    fn pass(&mut self, worlds: &[Vec<Unit>], check: bool) {
        let Self { whole, encode, decode, bytes } = self;
        *bytes = 0;
        for units in &worlds[1..] {
            encode.time(|| whole.encode(units));
            *bytes += whole.len();
            let decoded = decode.time(|| whole.decode());
            assert!(!check || decoded == *units, "{} decodes what it encoded", W::NAME);
        }
        if check {
            (*encode, *decode) = Default::default();
        } else {
            encode.end_pass();
            decode.end_pass();
        }
    }

    fn row(&self, ours_encode_ns: f64, ours_decode_ns: f64, ours_bytes: f64) -> WholeRow {
        let [encode_ns, decode_ns] = [&self.encode, &self.decode].map(|times| times.ns_per(COUNTED));
        let bytes_per_entity = self.bytes as f64 / COUNTED as f64;
        WholeRow {
            peer: W::NAME,
            encode_ns,
            decode_ns,
            bytes_per_entity,
            encode_ratio: ours_encode_ns / encode_ns,
            decode_ratio: ours_decode_ns / decode_ns,
            bytes_ratio: ours_bytes / bytes_per_entity,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_side_passes_its_checks_and_gets_a_row() {
        let report = run(&SnapshotArgs { runs: 1 });
        assert_eq!((report.coding.len(), report.whole.len()), (4, 4));
        assert!(report.coding.iter().all(|row| row.ours_ns > 0.0 && row.hand_ns > 0.0));
        assert!((1000.0..1150.0).contains(&report.changed_per_tick));
        assert_eq!((report.warm_tick.ticks, report.warm_tick.server_allocations), (TICKS as u64, 0));
    }
}
