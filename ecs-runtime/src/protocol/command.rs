//! Commands on the wire: the last few, each as the difference to the one before it.
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

use std::collections::VecDeque;

use super::PacketError;
use super::header::{read_u8, read_u16, read_u32};
use crate::codec::{BitReader, BitWriter, decode_struct, encode_struct};
use crate::schema::{Schema, Word};
use crate::tick::widen_32;

/// One command, quantized.
#[derive(Clone, Debug)]
pub(super) struct QueuedCommand {
    pub(super) number: u64,
    /// The number of its type.
    pub(super) kind: u16,
    pub(super) row: Vec<u32>,
}

/// The most commands that a packet may carry, and that wait for a server to take them.
pub(super) const MAX_COMMANDS: usize = 64;

/// Commands in the order of their numbers, in memory that is used again.
#[derive(Debug, Default)]
pub(super) struct CommandQueue {
    commands: VecDeque<QueuedCommand>,
    spare: Vec<Vec<u32>>,
}

impl CommandQueue {
    pub(super) fn clear(&mut self) {
        while self.drop_oldest() {}
    }

    pub(super) fn len(&self) -> usize {
        self.commands.len()
    }

    pub(super) fn memory(&self) -> usize {
        let rows = self.commands.iter().map(|command| &command.row).chain(&self.spare);
        self.commands.capacity() * size_of::<QueuedCommand>()
            + self.spare.capacity() * size_of::<Vec<u32>>()
            + rows.map(|row| row.capacity() * size_of::<u32>()).sum::<usize>()
    }

    /// Shows the oldest of a type and takes it out; `false` if there is none.
    pub(super) fn take_oldest(&mut self, kind: u16, show: impl FnOnce(&[u32])) -> bool {
        let at = self.commands.iter().position(|command| command.kind == kind);
        let Some(command) = at.and_then(|at| self.commands.remove(at)) else { return false };
        show(&command.row);
        self.spare.push(command.row);
        true
    }

    pub(super) fn drop_oldest(&mut self) -> bool {
        let dropped = self.commands.pop_front();
        let any = dropped.is_some();
        self.spare.extend(dropped.map(|command| command.row));
        any
    }

    pub(super) fn push(&mut self, number: u64, kind: u16, row: &[u32]) {
        let mut kept = self.spare.pop().unwrap_or_default();
        kept.clear();
        kept.extend_from_slice(row);
        self.commands.push_back(QueuedCommand { number, kind, row: kept });
    }

    /// Writes all commands, oldest first, into what is left of a packet; the oldest are left out if they do not fit.
    pub(super) fn write(&self, schema: &Schema, bits: &mut BitWriter, room: usize, out: &mut Vec<u8>) {
        let mut first = 0;
        loop {
            bits.clear();
            let mut before: Option<&QueuedCommand> = None;
            for command in self.commands.iter().skip(first) {
                let words = words(schema, command.kind).unwrap_or(&[]);
                let same_kind = before.is_some_and(|before| before.kind == command.kind);
                bits.write(u32::from(same_kind), 1);
                if !same_kind {
                    bits.write(u32::from(command.kind), 16);
                }
                let base = before.filter(|_| same_kind).map(|before| before.row.as_slice());
                encode_struct(bits, words, base, &command.row);
                before = Some(command);
            }
            if 5 + bits.len_bits().div_ceil(8) <= room || first >= self.commands.len() {
                break;
            }
            first += 1;
        }
        out.push((self.commands.len() - first) as u8);
        let number = self.commands.get(first).map_or(0, |command| command.number);
        out.extend_from_slice(&(number as u32).to_le_bytes());
        out.extend_from_slice(bits.finish());
    }
}

/// Which commands of a client came already.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Window {
    /// One more than the newest.
    next: u64,
    /// Bit `i`: the command `i + 1` before `next` came.
    came: u64,
}

/// What a command that comes is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// The newest, to be taken.
    New,
    /// One that came before: each packet repeats the last few.
    Repeated,
    /// One whose turn is over.
    Late,
}

impl Window {
    /// Before a client's first command.
    pub(super) fn new(first: u64) -> Self {
        // None before the first is waited for.
        Self { next: first, came: u64::MAX }
    }

    /// A number near those that come.
    pub(super) fn next(self) -> u64 {
        self.next
    }

    /// Takes note of a command.
    pub(super) fn take(&mut self, number: u64) -> Arrival {
        if let Some(ahead) = number.checked_sub(self.next) {
            let passed = ahead.saturating_add(1);
            self.came = u32::try_from(passed).ok().and_then(|by| self.came.checked_shl(by)).unwrap_or(0) | 1;
            self.next = number.saturating_add(1);
            return Arrival::New;
        }
        let bit = u32::try_from(self.next - 1 - number).ok().and_then(|back| 1u64.checked_shl(back));
        // What is so old that nobody knows is taken for one that came.
        let Some(bit) = bit.filter(|bit| self.came & bit == 0) else { return Arrival::Repeated };
        self.came |= bit;
        Arrival::Late
    }
}

fn words(schema: &Schema, kind: u16) -> Option<&'static [Word]> {
    schema.commands.get(usize::from(kind)).map(|command| command.words)
}

/// Reads the commands of a packet and shows each to `take`: number, type and words. `expected`: a number that the
/// first is near. `rows` is scratch memory.
pub(super) fn read_commands(
    reader: &mut BitReader<'_>,
    schema: &Schema,
    expected: u64,
    rows: &mut Vec<QueuedCommand>,
) -> Result<usize, PacketError> {
    let at_bit = reader.position();
    let count = usize::from(read_u8(reader)?);
    if count > MAX_COMMANDS {
        return Err(PacketError::ManyCommands(at_bit));
    }
    let first = widen_32(read_u32(reader)?, expected);
    for at in 0..count {
        let same_kind = reader.flag()?;
        let (before, rest) = rows.split_at_mut_checked(at).unwrap_or_default();
        let before = before.last().filter(|_| same_kind);
        let kind = match before {
            Some(before) => before.kind,
            None if same_kind => return Err(PacketError::Trailing(at_bit)),
            None => read_u16(reader)?,
        };
        let words = words(schema, kind).ok_or(PacketError::UnknownCommand(kind))?;
        let mut row = rest.first_mut().map(|command| core::mem::take(&mut command.row)).unwrap_or_default();
        row.clear();
        match before {
            Some(before) => row.extend_from_slice(&before.row),
            None => row.resize(words.len(), 0),
        }
        decode_struct(reader, words, !same_kind, &mut row)?;
        let command = QueuedCommand { number: first.wrapping_add(at as u64), kind, row };
        match rest.first_mut() {
            Some(place) => *place = command,
            None => rows.push(command),
        }
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_new_once_and_late_once() {
        let mut window = Window::new(10);
        assert_eq!(
            [10, 10, 13, 12, 12, 9].map(|number| window.take(number)),
            [
                Arrival::New,
                Arrival::Repeated,
                Arrival::New,
                Arrival::Late,
                Arrival::Repeated,
                Arrival::Repeated,
            ]
        );
        assert_eq!(
            [14, 11, 500, 14].map(|number| window.take(number)),
            [Arrival::New, Arrival::Late, Arrival::New, Arrival::Repeated,]
        );
        assert_eq!(window.next(), 501);
    }
}
