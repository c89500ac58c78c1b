//! How a connection begins: a client says what it speaks, the server takes it or says why not.
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

use super::PacketError;
use super::header::{PacketKind, expect_end, read_counter, read_u8, read_u16, read_u32, read_u64};
use super::seal::{SEAL, seal, unseal};
use crate::Tick;

/// What a client says first, again and again until it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The hash of its schema.
    pub schema_hash: u64,
    /// A number of this attempt to connect, so that the answer is known to belong to it.
    pub nonce: u64,
    /// The number of its first ack and its first command.
    pub first_number: u64,
}

/// The version of the protocol; another one is refused.
const VERSION: u8 = 1;

/// A server's answer to [`Hello`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The client is taken.
    Welcome(Welcome),
    /// It is not.
    Refused {
        /// The number of the attempt.
        nonce: u64,
        /// Why not.
        refusal: Refusal,
    },
}

/// What a client that is taken has to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Welcome {
    /// The number of the attempt.
    pub nonce: u64,
    /// The client's number, below the server's maximum; used again when the client is gone.
    pub client: u16,
    /// The number of the session.
    pub session: u32,
    /// The number of the first packet.
    pub first_packet: u64,
    /// The server's tick.
    pub tick: Tick,
}

/// Why a client was not taken, or sent away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The two sides speak different versions of the protocol.
    #[error("the server speaks version {server} of the protocol, this client another")]
    Version {
        /// The server's version.
        server: u8,
    },
    /// The two sides were built from different components.
    #[error(
        "the server's schema is {server:016x}, the client's another: both must be built from the same components"
    )]
    Schema {
        /// The hash of the server's schema.
        server: u64,
    },
    /// There is no room for another client.
    #[error("the server is full")]
    Full,
}

/// A [`Hello`] is padded to this length, so that no answer is longer than what asked for it.
const HELLO_BYTES: usize = 64;

impl Hello {
    /// Appends the datagram to `out`.
    pub fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&[PacketKind::Hello.byte(0), VERSION]);
        for field in [self.schema_hash, self.nonce, self.first_number] {
            out.extend_from_slice(&field.to_le_bytes());
        }
        out.resize(start + HELLO_BYTES - SEAL, 0);
        seal(out, start);
    }

    /// Reads a datagram: what it says, or how to refuse another version.
    pub fn read(datagram: &[u8]) -> Result<Result<Self, Answer>, PacketError> {
        let content = unseal(datagram)?;
        let mut reader = PacketKind::Hello.open(content, 0)?;
        let version = read_u8(&mut reader)?;
        let hello = Self {
            schema_hash: read_u64(&mut reader)?,
            nonce: read_u64(&mut reader)?,
            first_number: read_counter(&mut reader)?,
        };
        if datagram.len() != HELLO_BYTES {
            return Err(PacketError::Trailing(reader.position()));
        }
        if version != VERSION {
            return Ok(Err(Answer::Refused {
                nonce: hello.nonce,
                refusal: Refusal::Version { server: VERSION },
            }));
        }
        Ok(Ok(hello))
    }

    /// Whether a datagram wants to be one, to tell newcomers from clients.
    #[must_use]
    pub fn is_hello(datagram: &[u8]) -> bool {
        matches!(PacketKind::of(datagram), Some((PacketKind::Hello, _)))
    }
}

impl Answer {
    /// Appends the datagram to `out`.
    pub fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        match *self {
            Self::Welcome(welcome) => {
                out.push(PacketKind::Welcome.byte(welcome.session));
                out.extend_from_slice(&welcome.nonce.to_le_bytes());
                out.extend_from_slice(&welcome.client.to_le_bytes());
                out.extend_from_slice(&welcome.session.to_le_bytes());
                out.extend_from_slice(&welcome.first_packet.to_le_bytes());
                out.extend_from_slice(&welcome.tick.0.to_le_bytes());
            }
            Self::Refused { nonce, refusal } => {
                out.push(PacketKind::Refused.byte(0));
                out.extend_from_slice(&nonce.to_le_bytes());
                let (code, detail) = match refusal {
                    Refusal::Version { server } => (0, u64::from(server)),
                    Refusal::Schema { server } => (1, server),
                    Refusal::Full => (2, 0),
                };
                out.push(code);
                out.extend_from_slice(&detail.to_le_bytes());
            }
        }
        seal(out, start);
    }

    /// Reads the content of a datagram; `None` if it is none of the answers.
    pub(super) fn read(content: &[u8]) -> Result<Option<Self>, PacketError> {
        let Some((kind, _)) = PacketKind::of(content) else { return Ok(None) };
        if kind != PacketKind::Welcome && kind != PacketKind::Refused {
            return Ok(None);
        }
        let (mut reader, _) = kind.open_any(content)?;
        let nonce = read_u64(&mut reader)?;
        let answer = if kind == PacketKind::Welcome {
            Self::Welcome(Welcome {
                nonce,
                client: read_u16(&mut reader)?,
                session: read_u32(&mut reader)?,
                first_packet: read_counter(&mut reader)?,
                tick: Tick(read_counter(&mut reader)?),
            })
        } else {
            let code = read_u8(&mut reader)?;
            let detail = read_u64(&mut reader)?;
            let refusal = match code {
                0 => Refusal::Version { server: detail as u8 },
                1 => Refusal::Schema { server: detail },
                _ => Refusal::Full,
            };
            Self::Refused { nonce, refusal }
        };
        expect_end(&mut reader, content.len() - 1)?;
        Ok(Some(answer))
    }
}

/// Appends the datagram that ends a session to `out`.
pub(super) fn write_goodbye(session: u32, out: &mut Vec<u8>) {
    let start = out.len();
    out.push(PacketKind::Goodbye.byte(session));
    seal(out, start);
}
