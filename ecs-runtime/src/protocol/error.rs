//! What can be wrong with a datagram.

use crate::codec::{DecodeError, OutOfBits};

/// Why a datagram was not taken. Nothing was changed by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PacketError {
    /// It ended in the middle.
    #[error(transparent)]
    OutOfBits(#[from] OutOfBits),
    /// It is longer than [`MAX_BUDGET`](super::MAX_BUDGET).
    #[error("a datagram of {0} bytes, longer than any of this protocol")]
    TooLong(usize),
    /// It is cut, damaged, or not of this protocol.
    #[error("the checksum does not fit: cut, damaged, or not of this protocol")]
    Checksum,
    /// It is none of the packets that this side understands.
    #[error("not a packet of this protocol, or not for this side: its first byte is {0:#04x}")]
    Kind(u8),
    /// It belongs to another session between the same addresses.
    #[error("a packet of session {theirs} in session {ours}, modulo 32")]
    Session {
        /// The session that it names.
        theirs: u8,
        /// The session that this side is in.
        ours: u8,
    },
    /// A counter that no honest peer reaches.
    #[error("a counter beyond its maximum, at bit {0}")]
    Counter(usize),
    /// An ack lists more packets than the protocol allows.
    #[error("an ack lists more packets than it may, at bit {0}")]
    LongAck(usize),
    /// More commands than a packet may carry.
    #[error("more commands than a packet may carry, at bit {0}")]
    ManyCommands(usize),
    /// It is older than what an ack can list.
    #[error("packet {0} is too old to be acknowledged")]
    TooOld(u64),
    /// It builds on an ack whose view is no longer kept, or that was never sent.
    #[error("a packet builds on ack {0}, which is not known or no longer kept")]
    UnknownAck(u64),
    /// An ack lists a packet that was never sent.
    #[error("an ack lists packet {0}, which was not sent")]
    UnknownPacket(u64),
    /// The states of entities do not decode.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// A command of a number that the schema does not have.
    #[error("a command of type {0}, which the schema does not have")]
    UnknownCommand(u16),
    /// An event of a number that the schema does not have.
    #[error("an event of type {0}, which the schema does not have")]
    UnknownEvent(u16),
    /// More events than a packet may carry.
    #[error("more events than a packet may carry, at bit {0}")]
    ManyEvents(usize),
    /// A reliable event that is too far ahead of those that came, or for which there is no room because the game takes none.
    #[error("there is no place for event {number}, at bit {at_bit}")]
    EventWindow {
        /// Its number.
        number: u64,
        /// Where it stands.
        at_bit: usize,
    },
    /// A coder that this side does not know.
    #[error("a coder that this side does not know, at bit {0}")]
    Coder(usize),
    /// Parts that no entity has.
    #[error("parts of an entity that make no sense, at bit {0}")]
    Parts(usize),
    /// A text that is too long, or no UTF-8.
    #[error("a text that is too long or no UTF-8, at bit {0}")]
    Text(usize),
    /// Something follows where it should end.
    #[error("the packet goes on after its end, at bit {0}")]
    Trailing(usize),
    /// The client is not connected.
    #[error("not connected")]
    NotConnected,
}
