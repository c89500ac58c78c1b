//! The checksum at the end of each datagram.
//!
//! UDP's own has 16 bits and may be left out on the way; a flipped bit that went unseen would be taken for state and
//! confirmed. It is no protection against forgery: that is an authenticated transport's affair.
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

use super::{MAX_BUDGET, PacketError};

/// How many bytes the checksum takes.
pub(super) const SEAL: usize = 4;

/// Where the checksum starts from, so that other programs' datagrams do not fit by chance.
const START: u32 = 0x6563_7301;

/// Appends the checksum of what follows `start`.
pub(super) fn seal(out: &mut Vec<u8>, start: usize) {
    let sum = checksum(out.get(start..).unwrap_or(&[]));
    out.extend_from_slice(&sum.to_le_bytes());
}

/// What is before the checksum, if it fits and the datagram is no longer than any may be.
pub(super) fn unseal(datagram: &[u8]) -> Result<&[u8], PacketError> {
    if datagram.len() > MAX_BUDGET {
        return Err(PacketError::TooLong(datagram.len()));
    }
    let (content, sum) = datagram.split_last_chunk::<SEAL>().ok_or(PacketError::Checksum)?;
    if checksum(content) == u32::from_le_bytes(*sum) { Ok(content) } else { Err(PacketError::Checksum) }
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new_with_initial(START);
    crc.update(bytes);
    crc.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_is_seen() {
        let mut datagram = vec![9, 8, 7, 6, 5];
        seal(&mut datagram, 1);
        assert_eq!(unseal(&datagram[1..]), Ok(&[8, 7, 6, 5][..]));
        for bit in 8..datagram.len() * 8 {
            let mut flipped = datagram.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(unseal(&flipped[1..]), Err(PacketError::Checksum));
        }
        assert_eq!(unseal(&[1, 2, 3]), Err(PacketError::Checksum));
    }

    #[test]
    fn a_datagram_longer_than_any_is_refused_unread() {
        let mut datagram = vec![7; MAX_BUDGET - SEAL];
        seal(&mut datagram, 0);
        assert_eq!(unseal(&datagram).map(<[u8]>::len), Ok(MAX_BUDGET - SEAL));
        let mut datagram = vec![7; MAX_BUDGET - SEAL + 1];
        seal(&mut datagram, 0);
        assert_eq!(unseal(&datagram), Err(PacketError::TooLong(MAX_BUDGET + 1)));
    }
}
