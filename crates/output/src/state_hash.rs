//! A hash of the whole state of a world. Equal states have equal hashes, and different states have
//! different hashes except with negligible probability.

use granum_engine::World;
use granum_engine::record::BodyRecord;

/// FNV-1a on words of eight bytes, which is fast and equal on every machine.
struct Hash(u64);

impl Hash {
    fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0100_0000_01b3);
        // A multiplication propagates changes to higher bits only; this mixes the high bits into
        // the low ones.
        self.0 ^= self.0 >> 32;
    }

    fn numbers(&mut self, numbers: impl IntoIterator<Item = f64>) {
        numbers.into_iter().for_each(|number| self.word(number.to_bits()));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
    }
}

/// Returns the hash of all bits of the state as 16 hexadecimal digits. It covers the step, the
/// bodies in the order of their ids, and the contacts with their history in the order of the ids of
/// their bodies, the counts of flow planes, and the wear of surfaces. It does not depend on the
/// storage order.
pub fn state_hash(world: &World) -> String {
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    hash.word(world.steps());
    for body in world.ordered_body_records() {
        let BodyRecord { twist, wrench, account, .. } = body;
        let vectors = [body.position, body.remainder, twist.velocity, twist.spin, wrench.force, wrench.torque];
        hash.numbers(vectors.into_iter().flat_map(|vector| vector.to_array()));
        hash.numbers(body.orientation.to_array());
        hash.numbers(body.angular_momentum.to_array());
        hash.numbers([account.damping, account.friction, account.drive]);
    }
    let mut room = Vec::new();
    for record in world.ordered_contact_records() {
        room.clear();
        room = postcard::to_extend(&record, room).unwrap_or_default();
        hash.bytes(&room);
    }
    for percussion in world.ordered_percussions() {
        hash.numbers(percussion.tangential.to_array());
        hash.numbers([percussion.normal]);
    }
    for flow in world.flow_states() {
        for count in [flow.forward, flow.backward] {
            hash.word(count.grains);
            hash.numbers([count.mass]);
        }
    }
    hash.numbers(world.stored_wear());
    format!("{:016x}", hash.0)
}
