//! Contact search: from listed pairs to contacts, matched with those of the last step.
//!
//! The records of a pair stay in place as long as the same features touch, so that a step at rest
//! copies nothing. A loaded contact is kept for one evaluation after its surfaces have separated:
//! the law needs it to end the contact inside the step (docs/adr/0002).

use std::ops::Range;

use glam::{DQuat, DVec3};
use granum_geometry::{ContactPoint, Manifold, Pair, Shape, free_distance};
use rayon::prelude::*;

use super::pair_list::{Chunk, PairList};
use super::separation::SeparationBounds;
use crate::execution::Execution;
use crate::simulation::StageTimer;
use crate::state::bodies::{Bodies, Tag};
use crate::state::contact::{PreviousEvaluation, StoredPercussion};
use crate::state::contacts::{ContactEntry, ContactGroup, Contacts, PAIRS_PER_GROUP, Slot, StoredData};
use crate::state::{Contact, Phase, RollingState};

/// A group is compacted if more than 1/n of its records are free, with n this constant.
const FREE_PART: usize = 4;

/// Distance between a lost contact and a new one of the same grain with a surface, relative to its
/// bounding radius, up to which they are the same contact. A contact moves by far less in a step.
const SAME_PLACE: f64 = 0.1;

/// Least cosine of the angle between their normals.
const SAME_DIRECTION: f64 = 0.5;

/// Largest number of records of a pair, as their first one counts them in 8 bits.
const MOST_POINTS: usize = 256;

/// Gap up to which contacts are reported.
#[derive(Clone, Copy)]
pub enum SearchRange<'a> {
    /// Zero: bodies touch or not. A loaded contact is kept for one more evaluation.
    Touching,
    /// The distance that the two bodies can approach in a step, m: the sum of two entries by
    /// storage index.
    Ahead(&'a [f64]),
}

/// How contacts are searched.
#[derive(Clone, Copy)]
pub struct SearchSettings<'a> {
    /// Threads.
    pub execution: Execution,
    /// Gap up to which contacts are reported.
    pub range: SearchRange<'a>,
    /// Adds up the time of pairs with triangulated surfaces.
    pub on_surfaces: &'a StageTimer,
}

/// Computes the contacts of all listed pairs at the present poses, and calls `then` with each group
/// while it is in the cache, and with the previous evaluation of each of its records.
pub fn find_contacts(
    SearchSettings { execution, range, on_surfaces }: SearchSettings,
    bodies: &Bodies,
    shapes: &[Shape],
    list: &mut PairList,
    contacts: &mut Contacts,
    then: impl Fn(&mut ContactGroup, &[PreviousEvaluation]) + Sync,
) {
    debug_assert!(contacts.are_arranged_by(list.pairs.len()));
    let stored = contacts.stored();
    // With a range that depends on velocities, a separation of the past excludes nothing.
    let travelled = matches!(range, SearchRange::Touching).then_some(list.travelled.as_slice());
    let chunks = list
        .chunks
        .par_iter()
        .zip(list.pairs.par_chunks(PAIRS_PER_GROUP))
        .zip(list.separation_limits.par_chunks_mut(PAIRS_PER_GROUP).zip(list.separating_directions.par_iter_mut()))
        .zip(contacts.par_groups_mut());
    execution.for_each_with_scratch(
        chunks,
        |scratch: &mut Scratch, (((chunk, pairs), (limits, directions)), (slots, group))| {
            let pairs = &pairs[..chunk.len];
            let bounds = SeparationBounds { travelled, limits, directions };
            let mut search = ChunkSearch { chunk, bodies, shapes, stored, range, margin: 0.0, scratch, group, bounds };
            let free = match chunk.is_on_surface {
                true => on_surfaces.time(|| search.run(pairs, slots)),
                false => search.run(pairs, slots),
            };
            if free > search.group.records.len() / FREE_PART {
                search.compact(&mut slots[..chunk.len]);
            }
            then(group, &scratch.previous);
        },
    );
}

/// Scratch of a thread, which is used for one chunk after the other.
#[derive(Default)]
struct Scratch {
    manifold: Manifold,
    /// One entry for each record of the group.
    previous: Vec<PreviousEvaluation>,
}

/// Contact search of one chunk of pairs.
struct ChunkSearch<'a> {
    chunk: &'a Chunk,
    bodies: &'a Bodies,
    shapes: &'a [Shape],
    stored: StoredData,
    range: SearchRange<'a>,
    /// Gap up to which the present pair has contacts, m.
    margin: f64,
    scratch: &'a mut Scratch,
    group: &'a mut ContactGroup,
    bounds: SeparationBounds<'a>,
}

impl<'a> ChunkSearch<'a> {
    /// Evaluates all pairs. Returns the number of records that belong to no pair afterwards.
    fn run(&mut self, pairs: &[[u32; 2]], slots: &mut [Slot]) -> usize {
        self.scratch.previous.resize(self.group.records.len(), PreviousEvaluation::default());
        let mut used = 0;
        for (number, (&[a, b], slot)) in pairs.iter().zip(slots).enumerate() {
            if slot.is_empty() && self.bounds.exclude_contact(number, [a, b]) {
                continue;
            }
            let (place_a, place_b) = (&self.bodies.sphere[a as usize], &self.bodies.sphere[b as usize]);
            let offset = place_b.centre - place_a.centre;
            if let SearchRange::Ahead(ranges) = self.range {
                self.margin = ranges[a as usize] + ranges[b as usize];
            }
            if slot.is_empty() {
                let radii = place_a.radius + place_b.radius + self.margin;
                let square = offset.length_squared();
                // The bounding spheres are separate.
                if square > radii * radii {
                    self.bounds.store(number, [a, b], square.sqrt() - radii, radii);
                    continue;
                }
                let pair = self.pair(a, b, offset, self.margin, None);
                if self.bounds.still_separate(number, [a, b], &pair, radii) {
                    continue;
                }
                self.search(&pair);
                if self.scratch.manifold.points().is_empty() && self.chunk.is_on_surface {
                    let radius = self.bodies.sphere[b as usize].radius;
                    if self.bounds.travelled.is_some() {
                        self.bounds.store(number, [a, b], free_distance(&pair), radius);
                    }
                    continue;
                }
                if self.scratch.manifold.points().is_empty() {
                    self.bounds.store_direction(number, [a, b], &pair, radii, self.scratch.manifold.apart);
                    continue;
                }
                self.begin_pair(a, b, slot);
            } else {
                let records = &self.group.records[self.group.indices(*slot)];
                let is_loaded = records.iter().any(|contact| contact.phase == Phase::Holds) && self.keeps_loaded();
                let warm = Some(records[0].normal);
                // A loaded contact is evaluated even if its surfaces have separated. A surface has many
                // features, so that most searches without a margin, which are quicker, find all that
                // are loaded.
                let is_quick = is_loaded && self.chunk.is_on_surface;
                let margin = if is_loaded && !is_quick { f64::INFINITY } else { self.margin };
                let pair = self.pair(a, b, offset, margin, warm);
                self.search(&pair);
                if is_quick && !self.has_all_loaded(slot) {
                    self.search(&Pair { margin: f64::INFINITY, ..pair });
                }
                self.continue_pair(a, b, slot);
            }
            if !slot.is_empty() {
                used += self.group.indices(*slot).len();
            }
        }
        self.group.records.len() - used
    }

    /// Finds the contacts of a pair.
    fn search(&mut self, pair: &Pair) {
        self.scratch.manifold.clear();
        self.chunk.routine.evaluate(pair, &mut self.scratch.manifold);
    }

    /// Returns whether the last search has found the features of all loaded contacts of a pair.
    fn has_all_loaded(&self, slot: &Slot) -> bool {
        let points = self.scratch.manifold.points();
        let mut loaded =
            self.group.records[self.group.indices(*slot)].iter().filter(|contact| contact.phase == Phase::Holds);
        loaded.all(|contact| points.iter().any(|point| point.feature == contact.feature))
    }

    /// Returns whether a loaded contact is kept for one more evaluation.
    fn keeps_loaded(&self) -> bool {
        matches!(self.range, SearchRange::Touching)
    }

    #[inline]
    fn pair(&self, a: u32, b: u32, offset: DVec3, margin: f64, warm: Option<DVec3>) -> Pair<'a> {
        let (tag_a, tag_b) = (&self.bodies.kinetic[a as usize].tag, &self.bodies.kinetic[b as usize].tag);
        // The orientation of a ball does not matter. It is not loaded, to save memory traffic.
        let orientation = |tag: &Tag, k: u32| match tag.is_ball {
            true => DQuat::IDENTITY,
            false => self.bodies.orientation[k as usize],
        };
        Pair {
            a: &self.shapes[tag_a.shape.0 as usize],
            b: &self.shapes[tag_b.shape.0 as usize],
            offset,
            orientation_a: orientation(tag_a, a),
            orientation_b: orientation(tag_b, b),
            margin,
            warm,
        }
    }

    /// Returns whether a point is a contact: whether it overlaps, or its gap is within the margin.
    #[inline]
    fn is_within(&self, point: &ContactPoint) -> bool {
        -point.law_overlap() <= self.margin
    }

    /// Adds records for a pair that had none.
    fn begin_pair(&mut self, a: u32, b: u32, slot: &mut Slot) {
        let first = self.group.records.len();
        for k in 0..self.scratch.manifold.points().len() {
            if self.is_within(&self.scratch.manifold.points()[k]) {
                self.push_new(a, b, k);
            }
        }
        *slot = self.group.seal(first);
    }

    /// Updates the records of a pair that had contacts.
    #[inline]
    fn continue_pair(&mut self, a: u32, b: u32, slot: &mut Slot) {
        let (keeps_loaded, margin) = (self.keeps_loaded(), self.margin);
        let places = self.group.indices(*slot);
        let ContactGroup { records, losses, rolling, percussions } = &mut *self.group;
        let manifold = &self.scratch.manifold;
        let points = manifold.points();
        let persists = |old: &Contact, point: &ContactPoint| {
            point.feature == old.feature
                && (-point.law_overlap() <= margin || (keeps_loaded && old.phase == Phase::Holds))
        };
        let all_persist = places.len() == points.len()
            && points.iter().zip(&records[places.start..]).all(|(point, old)| persists(old, point));
        if !all_persist {
            return self.replace_records(a, b, slot);
        }
        for (k, point) in points.iter().enumerate() {
            let place = places.start + k;
            let record = &mut records[place];
            let roll = rolling.get_mut(place);
            self.scratch.previous[place] = record.as_previous(&losses[place], roll.as_deref());
            record.advance(&mut losses[place], roll, percussions.get_mut(place), point);
        }
    }

    /// Replaces the records of a pair of which other features touch than before. Features that
    /// persist keep their history.
    fn replace_records(&mut self, a: u32, b: u32, slot: &mut Slot) {
        let old = self.group.indices(*slot);
        let first = self.group.records.len();
        let successors = self.successors(b, old.clone());
        // Two points of a surface may have the same number. A record has one successor at most, or
        // its losses would be counted twice.
        let mut has_successor = [false; MOST_POINTS];
        for k in 0..self.scratch.manifold.points().len() {
            let point = self.scratch.manifold.points()[k];
            let handed_over = || successors.iter().find(|&&(_, number)| number == k).map(|&(place, _)| place);
            let is_same = |place: &usize| {
                self.group.records[*place].feature == point.feature && !has_successor[*place - old.start]
            };
            let predecessor = old.clone().find(is_same).or_else(handed_over);
            if let Some(place) = predecessor {
                has_successor[place - old.start] = true;
            }
            match predecessor {
                Some(place)
                    if self.is_within(&point)
                        || (self.keeps_loaded() && self.group.records[place].phase == Phase::Holds) =>
                {
                    self.push_moved(place, &point);
                }
                None if self.is_within(&point) => self.push_new(a, b, k),
                _ => {}
            }
        }
        for place in old.clone() {
            let Contact { feature, phase, arm, normal, .. } = self.group.records[place];
            if phase == Phase::Holds && !has_successor[place - old.start] && self.keeps_loaded() {
                // The features no longer touch. The law ends the contact in this step.
                let curvature = self.group.losses[place].curvature;
                let overlap = self.group.rolling.get(place).and_then(RollingState::vanished_overlap);
                self.push_moved(place, &ContactPoint { arm, normal, gap: 0.0, curvature, feature, overlap });
            }
            self.group.records[place].phase = Phase::Gone;
        }
        *slot = self.group.seal(first);
    }

    /// Returns which new point of a surface takes over which record: (index of the record, number of
    /// the point).
    ///
    /// A grain that slides from one triangle to the next loses a feature and finds another at the
    /// same place. The contact is the same: its springs, losses and percussion go on.
    fn successors(&self, grain: u32, old: Range<usize>) -> Vec<(usize, usize)> {
        if !self.chunk.is_on_surface {
            return Vec::new();
        }
        let (points, records) = (self.scratch.manifold.points(), &self.group.records);
        let limit = SAME_PLACE * self.bodies.sphere[grain as usize].radius;
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (number, point) in points.iter().enumerate() {
            let is_new = old.clone().all(|place| records[place].feature != point.feature);
            if !is_new || !self.is_within(point) {
                continue;
            }
            let distance = |place: &usize| (records[*place].arm - point.arm).length();
            let is_free = |place: &usize| {
                points.iter().all(|other| other.feature != records[*place].feature)
                    && found.iter().all(|(taken, _)| taken != place)
            };
            let nearest = old
                .clone()
                .filter(|place| is_free(place) && records[*place].normal.dot(point.normal) > SAME_DIRECTION)
                .min_by(|one, other| distance(one).total_cmp(&distance(other)));
            found.extend(nearest.filter(|place| distance(place) <= limit).map(|place| (place, number)));
        }
        found
    }

    /// Adds a record for a point of the manifold.
    fn push_new(&mut self, a: u32, b: u32, number: usize) {
        let point = &self.scratch.manifold.points()[number];
        let moves_a = self.bodies.kinetic[a as usize].tag.is_dynamic();
        let (record, losses) = Contact::beginning([a, b], moves_a, point);
        let (overlap, curvature, normal) = (record.overlap, point.curvature, point.normal);
        let previous = PreviousEvaluation { overlap, load: 0.0, curvature, normal };
        let rolling = self.stored.torques.then(|| RollingState::beginning(point));
        let percussion = self.stored.percussions.then(StoredPercussion::default);
        self.push(ContactEntry { record, losses, rolling, percussion }, previous);
    }

    /// Adds a copy of a record that has advanced to a new point.
    fn push_moved(&mut self, place: usize, point: &ContactPoint) {
        let mut entry = self.group.get(place);
        let ContactEntry { record, losses, rolling, percussion } = &mut entry;
        let previous = record.as_previous(losses, rolling.as_ref());
        record.advance(losses, rolling.as_mut(), percussion.as_mut(), point);
        record.feature = point.feature;
        // The record may have been the first of its pair, whose number of points it stores.
        record.points = 1;
        self.push(entry, previous);
    }

    fn push(&mut self, entry: ContactEntry, previous: PreviousEvaluation) {
        self.group.push(entry);
        self.scratch.previous.push(previous);
    }

    /// Drops the records that belong to no pair.
    fn compact(&mut self, slots: &mut [Slot]) {
        let previous = std::mem::take(&mut self.scratch.previous);
        self.group.compact(slots, self.stored, |place| self.scratch.previous.push(previous[place]));
    }
}
