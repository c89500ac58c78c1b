//! Bytes that were damaged on the way, or that nobody wrote.

use crate::chance::Chance;

pub(crate) fn damaged(chance: &mut Chance, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let len = bytes.len() as u32;
    match chance.below(8) {
        0 => bytes = (0..chance.below(40)).map(|_| chance.any() as u8).collect(),
        1 => bytes.truncate(chance.below(len + 1) as usize),
        2 => bytes.extend((0..=chance.below(3)).map(|_| chance.any() as u8)),
        3 => bytes.iter_mut().take(4).for_each(|byte| *byte = u8::MAX),
        _ if len > 0 => {
            for _ in 0..=chance.below(3) {
                bytes[chance.below(len) as usize] ^= 1 << chance.below(8);
            }
        }
        _ => {}
    }
    bytes
}
