//! Reads a recording, frame by frame, as it is or compressed with zstd.
//!
//! The format has no header: frames of 901 cubes, each eight little-endian `i32`. So a file is known for a
//! recording by its values alone, and every value is checked where it is read.
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

use std::error::Error;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

use cubes::{CUBES, Cube, Orientation, Place};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

/// A cube's eight values of four bytes.
const CUBE_BYTES: usize = 8 * 4;

/// A frame's bytes.
pub(crate) const FRAME_BYTES: usize = CUBES * CUBE_BYTES;

/// What every zstd frame begins with (RFC 8878, 3.1.1).
const ZSTD_MAGIC: [u8; 4] = 0xFD2F_B528_u32.to_le_bytes();

/// Why a file is no recording.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RecordingError {
    /// There is no such file, or it is not to be read by this user.
    #[error("cannot open it")]
    Open { source: io::Error },
    /// Reading failed.
    #[error("cannot read the recording, at byte {at}")]
    Read {
        /// How many bytes were read before, unpacked.
        at: u64,
        source: io::Error,
    },
    /// There is nothing in it.
    #[error("the recording is empty")]
    Empty,
    /// It does not end where a frame ends: it was cut, or something follows it.
    #[error("byte {at}: the recording ends with {bytes} bytes of a frame, which has {FRAME_BYTES}")]
    PartFrame {
        /// Where that frame begins, unpacked.
        at: u64,
        bytes: usize,
    },
    /// A value that no cube has.
    #[error("byte {at}: not a recording of cubes: `{field}` of cube {cube} is {value}, not {min} to {max}")]
    Value {
        /// Where the value is, unpacked.
        at: u64,
        cube: usize,
        field: &'static str,
        value: i32,
        min: i32,
        max: i32,
    },
    /// The compressed data do not unpack.
    #[error("byte {at} of the compressed file: it is damaged, or cut")]
    Damaged {
        /// How much of the compressed file was taken.
        at: u64,
        source: Box<dyn Error + Send + Sync>,
    },
    /// The compressed data unpack to something else than what was packed.
    #[error("the recording is damaged: the checksum of its {at} bytes is {is:08x}, not {wanted:08x}")]
    Checksum { at: u64, is: u32, wanted: u32 },
    /// Something follows the compressed data.
    #[error("byte {at} of the compressed file: something follows the end of the compressed data")]
    Trailing { at: u64 },
}

/// A recording that is being read.
pub(crate) struct Recording<R: Read> {
    source: Source<R>,
    /// How many bytes were read, unpacked.
    at: u64,
    bytes: Vec<u8>,
}

impl Recording<BufReader<File>> {
    /// Begins to read a file.
    pub(crate) fn open(path: &Path) -> Result<Self, RecordingError> {
        let file = File::open(path).map_err(|source| RecordingError::Open { source })?;
        Self::new(BufReader::new(file))
    }
}

impl<R: BufRead> Recording<R> {
    /// Begins to read. What begins as zstd does is unpacked: no recording begins like that.
    pub(crate) fn new(mut file: R) -> Result<Self, RecordingError> {
        let start = file.fill_buf().map_err(|source| RecordingError::Read { at: 0, source })?;
        let source = match start {
            [] => return Err(RecordingError::Empty),
            packed if packed.starts_with(&ZSTD_MAGIC) => {
                let damaged = |source| RecordingError::Damaged { at: 0, source: Box::new(source) };
                Source::Packed(Box::new(StreamingDecoder::new(file).map_err(damaged)?))
            }
            _ => Source::Plain(file),
        };
        Ok(Self { source, at: 0, bytes: vec![0; FRAME_BYTES] })
    }

    /// Reads the next frame into `frame`; `false` at the end of the recording.
    pub(crate) fn next_frame(&mut self, frame: &mut Vec<Cube>) -> Result<bool, RecordingError> {
        let read = self.source.fill(&mut self.bytes, self.at)?;
        let at = self.at;
        self.at += read as u64;
        if read == 0 {
            self.source.expect_end(self.at)?;
            return if at == 0 { Err(RecordingError::Empty) } else { Ok(false) };
        }
        if read < FRAME_BYTES {
            return Err(RecordingError::PartFrame { at, bytes: read });
        }
        frame.clear();
        for (number, bytes) in self.bytes.chunks_exact(CUBE_BYTES).enumerate() {
            let at = at + (number * CUBE_BYTES) as u64;
            frame.push(Values { bytes, at, cube: number }.cube()?);
        }
        Ok(true)
    }
}

/// The bytes of a recording.
enum Source<R: Read> {
    Plain(R),
    Packed(Box<StreamingDecoder<R, FrameDecoder>>),
}

impl<R: Read> Source<R> {
    /// Reads until `bytes` is full or the data end; gives how much was read.
    fn fill(&mut self, bytes: &mut [u8], at: u64) -> Result<usize, RecordingError> {
        let mut filled = 0;
        while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            let read = match self {
                Self::Plain(file) => file.read(rest),
                Self::Packed(unpacked) => unpacked.read(rest),
            };
            match read {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(source) => return Err(self.failure(source, at + filled as u64)),
            }
        }
        Ok(filled)
    }

    fn failure(&self, source: io::Error, at: u64) -> RecordingError {
        match self {
            Self::Plain(_) => RecordingError::Read { at, source },
            Self::Packed(unpacked) => RecordingError::Damaged {
                at: unpacked.decoder.bytes_read_from_source(),
                source: source.into(),
            },
        }
    }

    /// What has to hold at the end: compressed data match their checksum, and nothing follows them.
    fn expect_end(&mut self, at: u64) -> Result<(), RecordingError> {
        let Self::Packed(unpacked) = self else { return Ok(()) };
        let decoder = &unpacked.decoder;
        if let (Some(wanted), Some(is)) =
            (decoder.get_checksum_from_data(), decoder.get_calculated_checksum())
            && is != wanted
        {
            return Err(RecordingError::Checksum { at, is, wanted });
        }
        let packed = decoder.bytes_read_from_source();
        match unpacked.get_mut().read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(RecordingError::Trailing { at: packed }),
            Err(source) => Err(RecordingError::Damaged { at: packed, source: source.into() }),
        }
    }
}

/// The values of a cube that is being read.
struct Values<'a> {
    bytes: &'a [u8],
    at: u64,
    cube: usize,
}

impl Values<'_> {
    fn cube(mut self) -> Result<Cube, RecordingError> {
        let orientation = Orientation {
            largest: self.next("largest", 0, 3)?,
            a: self.next("a", 0, 511)?,
            b: self.next("b", 0, 511)?,
            c: self.next("c", 0, 511)?,
        };
        let place = Place {
            x: self.next("x", -16_383, 16_383)?,
            y: self.next("y", -16_383, 16_383)?,
            z: self.next("z", 0, 8_191)?,
        };
        Ok(Cube { place, orientation, interacting: self.next::<u8>("interacting", 0, 1)? == 1 })
    }

    fn next<T: TryFrom<i32>>(
        &mut self,
        field: &'static str,
        min: i32,
        max: i32,
    ) -> Result<T, RecordingError> {
        let Some((bytes, rest)) = self.bytes.split_first_chunk() else {
            return Err(RecordingError::PartFrame { at: self.at, bytes: self.bytes.len() });
        };
        let value = i32::from_le_bytes(*bytes);
        let at = self.at;
        self.bytes = rest;
        self.at += 4;
        let inside = Some(value).filter(|value| (min..=max).contains(value));
        let inside = inside.and_then(|value| T::try_from(value).ok());
        inside.ok_or(RecordingError::Value { at, cube: self.cube, field, value, min, max })
    }
}

#[cfg(test)]
mod tests {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    /// Two frames in which all cubes lie side by side.
    fn two_frames() -> Vec<u8> {
        let frame =
            (0..CUBES as i32).flat_map(|cube| [3, 0, 256, 511, 16 * cube - 7_000, -16_383, 8_191, cube % 2]);
        let frame: Vec<u8> = frame.flat_map(i32::to_le_bytes).collect();
        frame.repeat(2)
    }

    fn packed(recording: &[u8]) -> Vec<u8> {
        compress_to_vec(recording, CompressionLevel::Fastest)
    }

    /// Reads a whole recording; gives how many frames it has, and the last.
    fn read(bytes: &[u8]) -> Result<(usize, Vec<Cube>), RecordingError> {
        let mut recording = Recording::new(bytes)?;
        let (mut frames, mut frame) = (0, Vec::new());
        while recording.next_frame(&mut frame)? {
            frames += 1;
        }
        Ok((frames, frame))
    }

    fn fault(bytes: &[u8]) -> RecordingError {
        read(bytes).expect_err("a faulty recording")
    }

    #[test]
    fn a_recording_is_read_as_it_is_and_compressed() {
        let recording = two_frames();
        let (frames, plain) = read(&recording).expect("a recording");
        assert_eq!((frames, plain.len()), (2, CUBES));
        let cube = Cube {
            place: Place { x: -6_984, y: -16_383, z: 8_191 },
            orientation: Orientation { largest: 3, a: 0, b: 256, c: 511 },
            interacting: true,
        };
        assert_eq!(plain[1], cube);
        assert_eq!(read(&packed(&recording)).expect("the same, compressed"), (frames, plain));
    }

    #[test]
    fn an_empty_file_is_no_recording() {
        assert!(matches!(fault(&[]), RecordingError::Empty));
        assert!(matches!(fault(&packed(&[])), RecordingError::Empty));
    }

    #[test]
    fn a_file_that_ends_within_a_frame_is_no_recording() {
        let recording = two_frames();
        let second = FRAME_BYTES as u64;
        let cut = &recording[..FRAME_BYTES + 5];
        assert!(matches!(fault(cut), RecordingError::PartFrame { at, bytes: 5 } if at == second));
        assert!(matches!(fault(&packed(cut)), RecordingError::PartFrame { at, bytes: 5 } if at == second));
        let long = [recording.as_slice(), b"..."].concat();
        assert!(matches!(fault(&long), RecordingError::PartFrame { at, bytes: 3 } if at == 2 * second));
    }

    #[test]
    fn a_value_out_of_its_range_is_told_with_its_place() {
        for (field, name, value) in
            [(0, "largest", 4), (2, "b", 512), (4, "x", -16_384), (6, "z", -1), (7, "interacting", 2)]
        {
            let mut recording = two_frames();
            let place = FRAME_BYTES + 10 * CUBE_BYTES + field * 4;
            recording[place..place + 4].copy_from_slice(&i32::to_le_bytes(value));
            let fault = fault(&recording);
            let RecordingError::Value { at, cube: 10, field: told, value: is, .. } = fault else {
                panic!("{fault}")
            };
            assert_eq!((at, told, is), (place as u64, name, value));
        }
        let text = b"This is a text. ".repeat(FRAME_BYTES / 16 + 1);
        assert!(matches!(fault(&text), RecordingError::Value { at: 0, cube: 0, field: "largest", .. }));
    }

    #[test]
    fn compressed_data_that_are_cut_are_damaged() {
        let packed = packed(&two_frames());
        for end in [4, packed.len() / 2, packed.len() - 5] {
            let fault = fault(&packed[..end]);
            assert!(
                matches!(fault, RecordingError::Damaged { at, .. } if at <= end as u64),
                "{end}: {fault}"
            );
        }
    }

    #[test]
    fn compressed_data_that_unpack_to_something_else_are_damaged() {
        let mut packed = packed(&two_frames());
        // The last four bytes are the checksum.
        let last = packed.len() - 1;
        packed[last] ^= 1;
        let whole = 2 * FRAME_BYTES as u64;
        assert!(
            matches!(fault(&packed), RecordingError::Checksum { at, is, wanted } if at == whole && is != wanted)
        );
    }

    #[test]
    fn what_follows_compressed_data_is_refused() {
        let mut packed = packed(&two_frames());
        let end = packed.len() as u64;
        packed.push(0);
        assert!(matches!(fault(&packed), RecordingError::Trailing { at } if at == end));
    }
}
