//! What playing a recording came to.

use core::fmt;
use core::time::Duration;

use serde::Serialize;

use super::Lossy;
use super::scene::Step;
use crate::report::{BitRows, CodedBy};

/// Sums over the measured packets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    pub(super) packets: u64,
    body_bytes: u64,
    header_bytes: u64,
    max_packet_bytes: usize,
    deferred: u64,
    lossy: u64,
    capture: Duration,
    encode: Duration,
    decode: Duration,
    packer: Duration,
}

impl Totals {
    /// Adds a packet, and how long the plain packer took for the frame and whether it came back.
    pub(super) fn add(&mut self, step: &Step, packed: Option<(Duration, bool)>) {
        let (packer, whole) = packed.unwrap_or((Duration::ZERO, true));
        self.packer += packer;
        self.lossy += u64::from(!whole);
        let sent = step.sent;
        self.packets += 1;
        self.body_bytes += (sent.bytes - sent.header_bytes) as u64;
        self.header_bytes += sent.header_bytes as u64;
        self.max_packet_bytes = self.max_packet_bytes.max(sent.bytes);
        self.deferred += sent.deferred as u64;
        self.lossy += u64::from(!step.lossless);
        self.capture += step.capture;
        self.encode += step.encode;
        self.decode += step.decode;
    }
}

impl Totals {
    /// Adds those of other packets.
    pub(super) fn join(&mut self, other: &Self) {
        self.packets += other.packets;
        self.body_bytes += other.body_bytes;
        self.header_bytes += other.header_bytes;
        self.max_packet_bytes = self.max_packet_bytes.max(other.max_packet_bytes);
        self.deferred += other.deferred;
        self.lossy += other.lossy;
        self.capture += other.capture;
        self.encode += other.encode;
        self.decode += other.decode;
        self.packer += other.packer;
    }
}

/// The report of `tools stream`. Means are over the measured packets.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct StreamReport {
    #[serde(flatten)]
    pub(crate) coded: CodedBy,
    /// How many frames were played, those known beforehand included.
    pub(crate) frames: u64,
    /// How many packets were measured: all but those of the frames known beforehand.
    pub(crate) packets: u64,
    /// The coded states: a packet without its header.
    pub(crate) bytes_per_packet: f64,
    pub(crate) header_bytes_per_packet: f64,
    /// The largest packet, its header included.
    pub(crate) max_packet_bytes: usize,
    /// Of the coded states, at 60 packets a second; headers are not counted.
    pub(crate) kbit_per_second: f64,
    /// Whether the client's world was the frame after each packet, every field of every cube.
    pub(crate) lossless: bool,
    /// States that had to wait for a later packet.
    pub(crate) deferred: u64,
    /// Quantizing a frame.
    pub(crate) capture_us_per_frame: f64,
    /// Making a packet.
    pub(crate) encode_us_per_frame: f64,
    /// Reading a packet.
    pub(crate) decode_us_per_frame: f64,
    /// Making and reading a packet by the plainest packer of differences, in the same run.
    pub(crate) plain_packer_us_per_frame: f64,
    /// How many times as long ours takes, to make and to read.
    pub(crate) times_plain_packer: f64,
    /// Where the bits of the measured packets went, headers included.
    pub(crate) bits_by_component: BitRows,
}

impl StreamReport {
    /// An error if not every frame came back as it was.
    pub(crate) fn expect_lossless(&self) -> Result<(), Lossy> {
        if self.lossless { Ok(()) } else { Err(Lossy { deferred: self.deferred }) }
    }

    pub(super) fn new(coded: CodedBy, frames: u64, totals: &Totals, bits: BitRows) -> Self {
        let packets = totals.packets as f64;
        let mean = |sum: u64| sum as f64 / packets;
        let mean_us = |sum: Duration| sum.as_secs_f64() * 1e6 / packets;
        let bytes_per_packet = mean(totals.body_bytes);
        Self {
            coded,
            frames,
            packets: totals.packets,
            bytes_per_packet,
            header_bytes_per_packet: mean(totals.header_bytes),
            max_packet_bytes: totals.max_packet_bytes,
            kbit_per_second: bytes_per_packet * 60.0 * 8.0 / 1000.0,
            lossless: totals.lossy == 0,
            deferred: totals.deferred,
            capture_us_per_frame: mean_us(totals.capture),
            encode_us_per_frame: mean_us(totals.encode),
            decode_us_per_frame: mean_us(totals.decode),
            plain_packer_us_per_frame: mean_us(totals.packer),
            times_plain_packer: (totals.encode + totals.decode).as_secs_f64()
                / totals.packer.as_secs_f64().max(1e-9),
            bits_by_component: bits,
        }
    }
}

impl fmt::Display for StreamReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} frames, {} packets measured; {}", self.frames, self.packets, self.coded)?;
        writeln!(
            f,
            "{:.2} bytes a packet ({:.2} of header besides), {:.2} kbit/s, at most {} bytes in all",
            self.bytes_per_packet, self.header_bytes_per_packet, self.kbit_per_second, self.max_packet_bytes
        )?;
        writeln!(
            f,
            "lossless: {}, states deferred: {}",
            if self.lossless { "yes" } else { "NO" },
            self.deferred
        )?;
        writeln!(
            f,
            "a frame: {:.1} us to capture, {:.1} us to encode, {:.1} us to decode",
            self.capture_us_per_frame, self.encode_us_per_frame, self.decode_us_per_frame
        )?;
        writeln!(
            f,
            "that is {:.1} times as long as a plain packer of differences takes, {:.1} us",
            self.times_plain_packer, self.plain_packer_us_per_frame
        )?;
        writeln!(f, "where the bits went:")?;
        write!(f, "{}", self.bits_by_component)
    }
}
