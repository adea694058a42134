//! A hash of the whole state of a world. Equal states have equal hashes; different states almost
//! surely have different ones.

use granum_engine::World;
use granum_engine::state::Contact;

/// FNV-1a on words of eight bytes, which is fast and equal on every machine.
struct Hash(u64);

impl Hash {
    fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0100_0000_01b3);
        // FNV propagates changes to higher bits only, so that the high bits are mixed into the low
        // ones.
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
/// their bodies. It does not depend on the storage order.
pub fn state_hash(world: &World) -> String {
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    hash.word(world.step);
    let bodies = &world.bodies;
    for &index in &bodies.index {
        let k = index as usize;
        let (twist, wrench, account) = (&bodies.kinetic[k].twist, &bodies.wrench[k], &bodies.account[k]);
        let vectors =
            [bodies.place[k].centre, bodies.remainder[k], twist.velocity, twist.spin, wrench.force, wrench.torque];
        hash.numbers(vectors.into_iter().flat_map(|vector| vector.to_array()));
        hash.numbers(bodies.orientation[k].to_array());
        hash.numbers(bodies.angular_momentum[k].to_array());
        hash.numbers([account.damping, account.friction, account.drive]);
    }
    let id = |body: u32| bodies.id[body as usize];
    let mut contacts: Vec<_> = world.all_with_history().collect();
    contacts.sort_unstable_by_key(|(contact, ..)| (id(contact.a), id(contact.b), contact.feature));
    let mut room = Vec::new();
    for (contact, losses, roll) in contacts {
        let named = Contact { a: id(contact.a), b: id(contact.b), ..*contact };
        room.clear();
        room = postcard::to_extend(&(named, losses, roll), room).unwrap_or_default();
        hash.bytes(&room);
    }
    format!("{:016x}", hash.0)
}
