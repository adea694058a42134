//! All contacts of a world, and the index from a pair of bodies to its contacts.
//!
//! A neighbour list numbers the pairs of bodies that may touch. [`Contacts::arrange`] sorts the
//! records by these numbers into groups of [`PAIRS_PER_GROUP`] pairs; a group is a unit of parallel
//! work. The records of one pair are consecutive, and the [`Slot`] of the pair stores their
//! position. Slots are private to this file: they are not saved, and every change that invalidates
//! them drops them. The order of the records has no meaning.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::contact::{Contact, ContactLosses, Phase, RollingState, StoredPercussion};

/// Pairs in a group. Small enough to balance the load of threads, large enough to make the cost of
/// a group negligible, and a [`Slot`] of 16 bits counts the records of a group.
pub(crate) const PAIRS_PER_GROUP: usize = 1024;

/// Index of the first record of a pair in its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot(u16);

impl Slot {
    const NONE: Self = Self(u16::MAX);

    /// Returns whether the pair has no contact.
    #[inline]
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }
}

/// Kinds of data that contacts store beside their records and losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StoredData {
    /// Rolling states: contacts exert torques beside the moments of their forces.
    pub torques: bool,
    /// Percussions of the last step: the world has the percussion response.
    pub percussions: bool,
}

/// A contact record with all data that are stored beside it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactEntry {
    /// Record.
    pub record: Contact,
    /// Losses so far.
    pub losses: ContactLosses,
    /// Rolling state, in worlds that have it.
    pub rolling: Option<RollingState>,
    /// Last percussion, in worlds with the percussion response.
    pub percussion: Option<StoredPercussion>,
}

/// Identifies a record until the contacts are next searched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordId {
    group: u32,
    index: u32,
}

/// All contacts of a world.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Contacts {
    groups: Vec<ContactGroup>,
    /// By pair number; empty if the records are not arranged by the pairs of a neighbour list.
    #[serde(skip)]
    slots: Vec<Slot>,
    /// Data that each contact has. Set when the records are arranged.
    #[serde(skip)]
    stored: StoredData,
}

/// Origin and destination of a record. The order is by pair, and within a pair as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Move {
    pair: u32,
    group: u32,
    index: u32,
}

impl Contacts {
    /// Returns the records in use with their losses and rolling states.
    pub fn iter(&self) -> impl Iterator<Item = (&Contact, &ContactLosses, RollingState)> {
        self.groups.iter().flat_map(ContactGroup::iter)
    }

    /// Returns the records in use.
    pub fn records_mut(&mut self) -> impl Iterator<Item = &mut Contact> {
        let records = self.groups.iter_mut().flat_map(|group| &mut group.records);
        records.filter(|contact| contact.phase != Phase::Gone)
    }

    /// Returns the records in use with their last percussions, in worlds that store them.
    pub fn percussions(&self) -> impl Iterator<Item = (&Contact, &StoredPercussion)> {
        let all = self.groups.iter().flat_map(|group| group.records.iter().zip(&group.percussions));
        all.filter(|(contact, _)| contact.phase != Phase::Gone)
    }

    /// Returns the records in use with all data that are stored beside them.
    pub fn entries(&self) -> impl Iterator<Item = ContactEntry> + '_ {
        let of_group =
            |group: &'_ ContactGroup| (0..group.records.len()).map(|index| group.get(index)).collect::<Vec<_>>();
        self.groups.iter().flat_map(of_group).filter(|entry| entry.record.phase != Phase::Gone)
    }

    /// Adds contacts of pairs that have none. Those of one pair must stand one after the other.
    pub fn add(&mut self, entries: Vec<ContactEntry>) {
        self.slots.clear();
        let mut group = ContactGroup::default();
        entries.into_iter().for_each(|entry| group.push(entry));
        self.groups.push(group);
    }

    /// Returns the kinds of data that each contact has.
    pub fn stored(&self) -> StoredData {
        self.stored
    }

    /// Returns whether the records are arranged by a list of this many pairs.
    pub fn are_arranged_by(&self, pairs: usize) -> bool {
        self.slots.len() == pairs && self.groups.len() * PAIRS_PER_GROUP == pairs
    }

    /// Arranges the records by the pairs of a new neighbour list.
    ///
    /// `pairs` is the number of pairs, a multiple of [`PAIRS_PER_GROUP`]; `number_of` returns the
    /// number of the pair of two bodies. Contacts of pairs that are not listed are dropped: their
    /// bodies have separated.
    pub fn arrange(&mut self, pairs: usize, stored: StoredData, number_of: impl Fn(u32, u32) -> Option<usize>) {
        let mut old = std::mem::take(&mut self.groups);
        // Keys are sorted instead of records, which are large.
        let mut moves: Vec<Move> = Vec::with_capacity(old.iter().map(|group| group.records.len()).sum());
        let mut last = None;
        for (group, old) in old.iter().enumerate() {
            let in_use = old.records.iter().enumerate().filter(|(_, contact)| contact.phase != Phase::Gone);
            for (index, contact) in in_use {
                let pair = match last {
                    Some((a, b, pair)) if (a, b) == (contact.a, contact.b) => pair,
                    _ => number_of(contact.a, contact.b),
                };
                last = Some((contact.a, contact.b, pair));
                if let Some(pair) = pair {
                    moves.push(Move { pair: pair as u32, group: group as u32, index: index as u32 });
                }
            }
        }
        moves.sort_unstable();
        let mut left = vec![0u32; old.len()];
        for step in &moves {
            left[step.group as usize] += 1;
        }
        self.stored = stored;
        self.slots.clear();
        self.slots.resize(pairs, Slot::NONE);
        self.groups.resize_with(pairs / PAIRS_PER_GROUP, ContactGroup::default);
        let group_of = |step: &Move| step.pair as usize / PAIRS_PER_GROUP;
        for of_group in moves.chunk_by(|one, next| group_of(one) == group_of(next)) {
            let group = &mut self.groups[group_of(&of_group[0])];
            group.reserve(room_for(of_group.len()), stored);
            for step in of_group {
                let slot = &mut self.slots[step.pair as usize];
                if slot.is_empty() {
                    *slot = Slot(group.records.len() as u16);
                }
                let mut entry = old[step.group as usize].get(step.index as usize);
                entry.record.points = 1;
                // A law that resists rolling may be new.
                entry.rolling = stored.torques.then(|| entry.rolling.unwrap_or_default());
                entry.percussion = stored.percussions.then(|| entry.percussion.unwrap_or_default());
                group.push(entry);
                let first = slot.0 as usize;
                group.records[first].points = (group.records.len() - first) as u8;
                // An old group is freed as soon as it is empty. Two copies of all contacts would be
                // the peak of the memory of a run.
                left[step.group as usize] -= 1;
                if left[step.group as usize] == 0 {
                    old[step.group as usize] = ContactGroup::default();
                }
            }
        }
    }

    /// Removes the contacts that are not wanted.
    pub fn retain(&mut self, is_wanted: impl Fn(&Contact) -> bool) {
        self.slots.clear();
        self.groups.iter_mut().for_each(|group| group.retain(&is_wanted));
    }

    /// Renames the bodies of all contacts after a change of the storage order.
    pub fn rename_bodies(&mut self, new_index: &[u32]) {
        // Pair numbers belong to the storage order before.
        self.slots.clear();
        for contact in self.groups.iter_mut().flat_map(|group| &mut group.records) {
            contact.a = new_index[contact.a as usize];
            contact.b = new_index[contact.b as usize];
        }
    }

    /// Returns the groups with the slots of their pairs, to be worked on in parallel.
    pub fn par_groups_mut(&mut self) -> impl IndexedParallelIterator<Item = (&mut [Slot], &mut ContactGroup)> {
        self.slots.par_chunks_mut(PAIRS_PER_GROUP).zip(self.groups.par_iter_mut())
    }

    /// Returns the contacts of a pair, if it has any.
    #[inline]
    pub fn of_pair(&self, pair: usize) -> Option<PairContacts<'_>> {
        let slot = self.slots[pair];
        if slot.is_empty() {
            return None;
        }
        let group = &self.groups[pair / PAIRS_PER_GROUP];
        let first = slot.0 as usize;
        Some(PairContacts { group, first, end: first + group.records[first].points as usize })
    }

    /// Returns the records of a pair with their identifiers.
    pub fn records_of_pair(&self, pair: usize) -> impl Iterator<Item = (RecordId, &Contact)> {
        let group = (pair / PAIRS_PER_GROUP) as u32;
        self.of_pair(pair).into_iter().flat_map(move |contacts| {
            contacts
                .indices()
                .map(move |index| (RecordId { group, index: index as u32 }, &contacts.group.records[index]))
        })
    }

    /// Returns a record and its last percussion, in worlds that store it.
    pub fn record_mut(&mut self, id: RecordId) -> (&mut Contact, Option<&mut StoredPercussion>) {
        let (group, index) = (&mut self.groups[id.group as usize], id.index as usize);
        (&mut group.records[index], group.percussions.get_mut(index))
    }

    /// Returns the last percussion of a record, or zero if there is none.
    pub fn percussion(&self, id: RecordId) -> StoredPercussion {
        self.groups[id.group as usize].percussions.get(id.index as usize).copied().unwrap_or_default()
    }

    /// Returns whether all records have losses and, where any has, rolling states, and refer to
    /// existing bodies.
    pub fn check(&self, bodies: usize) -> Result<(), &'static str> {
        for ContactGroup { records, losses, rolling, percussions } in &self.groups {
            let none_or_all = |count: usize| count == 0 || count == records.len();
            if losses.len() != records.len() || !none_or_all(rolling.len()) || !none_or_all(percussions.len()) {
                return Err("contacts and their histories are not as many");
            }
            if records.iter().any(|contact| contact.a.max(contact.b) as usize >= bodies) {
                return Err("a contact is of a body that is not there");
            }
        }
        Ok(())
    }
}

/// The contacts of one pair.
#[derive(Clone, Copy)]
pub(crate) struct PairContacts<'a> {
    /// Group in which the contacts are.
    pub group: &'a ContactGroup,
    first: usize,
    end: usize,
}

impl PairContacts<'_> {
    /// Returns the indices of the records in the group.
    #[inline]
    pub fn indices(&self) -> std::ops::Range<usize> {
        self.first..self.end
    }
}

/// Contacts of up to [`PAIRS_PER_GROUP`] pairs: records, and vectors with one entry for each
/// record.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ContactGroup {
    /// Records. Those of one pair stand one after the other.
    pub records: Vec<Contact>,
    /// Losses of each record.
    pub losses: Vec<ContactLosses>,
    /// Rolling state of each record. Empty in worlds whose contacts have no torques.
    pub rolling: Vec<RollingState>,
    /// Last percussion of each record. Empty in worlds with the smooth response.
    pub percussions: Vec<StoredPercussion>,
}

impl ContactGroup {
    /// Returns the records in use with their losses and rolling states.
    fn iter(&self) -> impl Iterator<Item = (&Contact, &ContactLosses, RollingState)> {
        let all = self.records.iter().zip(&self.losses).enumerate();
        let in_use = all.filter(|(_, (contact, _))| contact.phase != Phase::Gone);
        in_use.map(|(index, (contact, losses))| (contact, losses, self.rolling.get(index).copied().unwrap_or_default()))
    }

    /// Returns the indices of the records of a pair that has contacts.
    #[inline]
    pub fn indices(&self, slot: Slot) -> std::ops::Range<usize> {
        let first = slot.0 as usize;
        first..first + self.records[first].points as usize
    }

    /// Returns a record with all data that are stored beside it.
    pub fn get(&self, index: usize) -> ContactEntry {
        ContactEntry {
            record: self.records[index],
            losses: self.losses[index],
            rolling: self.rolling.get(index).copied(),
            percussion: self.percussions.get(index).copied(),
        }
    }

    /// Adds a record. The capacity grows to [`room_for`], not more. Either all records of a group
    /// have a rolling state, or none. The same holds for a percussion.
    pub fn push(&mut self, entry: ContactEntry) {
        let len = self.records.len();
        if len == self.records.capacity() {
            let stored = StoredData { torques: entry.rolling.is_some(), percussions: entry.percussion.is_some() };
            self.reserve(room_for(len), stored);
        }
        self.records.push(entry.record);
        self.losses.push(entry.losses);
        self.rolling.extend(entry.rolling);
        self.percussions.extend(entry.percussion);
    }

    /// Makes the records from index `first` to the end those of one pair, and returns its slot.
    pub fn seal(&mut self, first: usize) -> Slot {
        let count = self.records.len() - first;
        match self.records.get_mut(first) {
            Some(contact) => {
                contact.points = count as u8;
                Slot(first as u16)
            }
            None => Slot::NONE,
        }
    }

    /// Drops the records that belong to no pair, and calls `kept` with the former index of each of
    /// the others, in their new order.
    pub fn compact(&mut self, slots: &mut [Slot], stored: StoredData, mut kept: impl FnMut(usize)) {
        let old = std::mem::take(self);
        self.reserve(room_for(old.records.len()), stored);
        for slot in slots.iter_mut().filter(|slot| !slot.is_empty()) {
            let indices = old.indices(*slot);
            *slot = Slot(self.records.len() as u16);
            for index in indices {
                self.push(old.get(index));
                kept(index);
            }
        }
    }

    /// Sets the capacity to `room` records.
    fn reserve(&mut self, room: usize, stored: StoredData) {
        let more = room.saturating_sub(self.records.len());
        self.records.reserve_exact(more);
        self.losses.reserve_exact(more);
        if stored.torques {
            self.rolling.reserve_exact(more);
        }
        if stored.percussions {
            self.percussions.reserve_exact(more);
        }
    }

    fn retain(&mut self, is_wanted: impl Fn(&Contact) -> bool) {
        let old = std::mem::take(self);
        for index in (0..old.records.len()).filter(|&index| is_wanted(&old.records[index])) {
            self.push(old.get(index));
        }
    }
}

/// Returns the capacity for a group of `contacts` records: an eighth more, in whole batches.
///
/// Doubling would waste a third of the memory of a large run. Capacities that are not multiples of
/// a batch would waste nearly as much: memory that one group frees would not fit another.
fn room_for(contacts: usize) -> usize {
    const BATCH: usize = 64;
    (contacts + contacts / 8 + 1).next_multiple_of(BATCH)
}
