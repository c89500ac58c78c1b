//! How a connection begins: a client says what it speaks, the server takes it or says why not.
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

use super::PacketError;
use super::digest::{Digest, Mismatch, Name, read_text, write_text};
use super::header::{PacketKind, expect_end, read_counter, read_u8, read_u16, read_u32, read_u64};
use super::seal::{SEAL, seal, unseal};
use crate::codec::{BitReader, Coder};
use crate::schema::Schema;
use crate::{Text, Tick};

/// What a client says first, again and again until it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The hash of its schema.
    pub schema_hash: u64,
    /// The identity of its priors.
    pub priors: u64,
    /// A number of this attempt to connect, so that the answer is known to belong to it.
    pub nonce: u64,
    /// The number of its first ack and its first command.
    pub first_number: u64,
    /// Hashes of the parts of its schema, so that a server of another can tell which differs.
    pub digest: Digest,
}

/// The version of the protocol, and of what is expected without priors; another one is refused.
const VERSION: u8 = 1;

/// A server's answer to [`Hello`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The client is taken.
    Welcome(Welcome),
    /// It is not.
    Refused {
        /// The number of the attempt.
        nonce: u64,
        /// Why not.
        refusal: Refusal,
        /// For a client of another schema: what differs. The client's side of it is filled in by the client.
        difference: Option<Box<Mismatch>>,
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
    /// How many ticks old a state may be that foretells the next.
    pub baseline_age: u8,
    /// How packets are coded.
    pub coder: Coder,
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
    #[error("server and client were built from different components: {}", mismatch(.theirs, .ours, .field))]
    Schema {
        /// The hash of the server's schema.
        server: u64,
        /// The server's first component, command or event that is not the client's; empty if it has none there.
        theirs: Text<48>,
        /// The client's in its place; empty if it has none there.
        ours: Text<48>,
        /// If both have the same name, its first field that differs; empty if it is another thing, such as an attribute.
        field: Text<48>,
    },
    /// The two sides code what they tell by different priors.
    #[error("server and client have different priors: the server has {}, the client {}", priors(*.server), priors(*.client))]
    Priors {
        /// The identity of the server's.
        server: u64,
        /// That of the client's.
        client: u64,
    },
    /// There is no room for another client.
    #[error("the server is full")]
    Full,
    /// The client is not welcome, by the game's own words.
    #[error("refused: {0}")]
    Denied(Text<96>),
}

fn mismatch(theirs: &Name, ours: &Name, field: &Name) -> String {
    let part = |name: &Name| if name.is_empty() { "nothing".to_owned() } else { format!("`{name}`") };
    match (theirs == ours, theirs.is_empty(), field.is_empty()) {
        (true, true, _) => "the maximum of entities differs".into(),
        (true, false, true) => format!("`{theirs}` differs"),
        (true, false, false) => format!("`{theirs}` differs, first in its field `{field}`"),
        (false, ..) => format!("the server has {} where the client has {}", part(theirs), part(ours)),
    }
}

fn priors(identity: u64) -> String {
    if identity == 0 { "none".into() } else { format!("{identity:016x}") }
}

/// Why a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DisconnectReason {
    /// The other side left.
    #[error("the other side left")]
    Left,
    /// The server does not know this client: it forgot it, or was started anew.
    #[error("the server does not know this client any more")]
    Unknown,
    /// The server heard nothing for too long.
    #[error("the server heard nothing for too long")]
    TimedOut,
    /// Sent away, by the game's own words.
    #[error("kicked: {0}")]
    Kicked(Text<96>),
    /// Sent away for good, by the game's own words.
    #[error("banned: {0}")]
    Banned(Text<96>),
    /// The path carries less than the smallest packet.
    #[error("the network carries packets of less than 512 bytes")]
    NarrowPath,
    /// More reliable events waited than may.
    #[error("the client took its events too slowly")]
    Overflowed,
}

impl DisconnectReason {
    /// Its number, and its words if it has some.
    fn code(&self) -> (u8, Text<96>) {
        match *self {
            Self::Left => (0, Text::default()),
            Self::Unknown => (1, Text::default()),
            Self::TimedOut => (2, Text::default()),
            Self::Kicked(words) => (3, words),
            Self::Banned(words) => (4, words),
            Self::NarrowPath => (5, Text::default()),
            Self::Overflowed => (6, Text::default()),
        }
    }

    fn of(code: u8, words: Text<96>) -> Option<Self> {
        Some(match code {
            0 => Self::Left,
            1 => Self::Unknown,
            2 => Self::TimedOut,
            3 => Self::Kicked(words),
            4 => Self::Banned(words),
            5 => Self::NarrowPath,
            6 => Self::Overflowed,
            _ => return None,
        })
    }
}

/// A [`Hello`] is padded to this length, so that no answer is longer than what asked for it.
const HELLO_BYTES: usize = 512;

impl Hello {
    /// The greeting of a client of a schema, without priors.
    #[must_use]
    pub fn new(schema: &Schema, nonce: u64, first_number: u64) -> Self {
        Self { schema_hash: schema.hash(), priors: 0, nonce, first_number, digest: Digest::of(schema) }
    }

    /// Appends the datagram to `out`.
    pub fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&[PacketKind::Hello.byte(0), VERSION]);
        for field in [self.schema_hash, self.priors, self.nonce, self.first_number] {
            out.extend_from_slice(&field.to_le_bytes());
        }
        self.digest.write(out);
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
            priors: read_u64(&mut reader)?,
            nonce: read_u64(&mut reader)?,
            first_number: read_counter(&mut reader)?,
            digest: Digest::read(&mut reader)?,
        };
        if datagram.len() != HELLO_BYTES {
            return Err(PacketError::Trailing(reader.position()));
        }
        if version != VERSION {
            return Ok(Err(Answer::Refused {
                nonce: hello.nonce,
                refusal: Refusal::Version { server: VERSION },
                difference: None,
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
                out.extend_from_slice(&[welcome.baseline_age, welcome.coder.byte()]);
            }
            Self::Refused { nonce, refusal, ref difference } => {
                out.push(PacketKind::Refused.byte(0));
                out.extend_from_slice(&nonce.to_le_bytes());
                let (code, detail) = match refusal {
                    Refusal::Version { server } => (0, u64::from(server)),
                    Refusal::Schema { server, .. } => (1, server),
                    Refusal::Full => (2, 0),
                    Refusal::Denied(_) => (3, 0),
                    Refusal::Priors { server, .. } => (4, server),
                };
                out.push(code);
                out.extend_from_slice(&detail.to_le_bytes());
                if let Refusal::Denied(words) = refusal {
                    write_text(&words, out);
                }
                if let Some(difference) = difference {
                    difference.write(out);
                }
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
                baseline_age: read_u8(&mut reader)?,
                coder: read_coder(&mut reader)?,
            })
        } else {
            let code = read_u8(&mut reader)?;
            let detail = read_u64(&mut reader)?;
            let mut difference = None;
            let refusal = match code {
                0 => Refusal::Version { server: detail as u8 },
                1 => {
                    let of_server = Mismatch::read(&mut reader)?;
                    difference = Some(Box::new(of_server));
                    let (ours, field) = (Name::default(), Name::default());
                    Refusal::Schema { server: detail, theirs: of_server.name, ours, field }
                }
                3 => Refusal::Denied(read_text(&mut reader)?),
                // The client knows its own.
                4 => Refusal::Priors { server: detail, client: 0 },
                _ => Refusal::Full,
            };
            Self::Refused { nonce, refusal, difference }
        };
        expect_end(&mut reader, content.len() - 1)?;
        Ok(Some(answer))
    }
}

fn read_coder(reader: &mut BitReader<'_>) -> Result<Coder, PacketError> {
    let at_bit = reader.position();
    Coder::of(read_u8(reader)?).ok_or(PacketError::Coder(at_bit))
}

/// Appends the datagram that ends a session to `out`.
pub(super) fn write_goodbye(session: u32, reason: &DisconnectReason, out: &mut Vec<u8>) {
    let start = out.len();
    out.push(PacketKind::Goodbye.byte(session));
    let (code, words) = reason.code();
    out.push(code);
    write_text(&words, out);
    seal(out, start);
}

/// What the content of a datagram says of the end of a session; `None` if it is of another session, or says nothing of it.
pub(super) fn read_goodbye(content: &[u8], session: u32) -> Option<DisconnectReason> {
    let mut reader = PacketKind::Goodbye.open(content, session).ok()?;
    let (code, words) = (read_u8(&mut reader).ok()?, read_text(&mut reader).ok()?);
    expect_end(&mut reader, content.len() - 1).ok()?;
    DisconnectReason::of(code, words)
}
