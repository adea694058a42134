//! Collects what contacts transmit to and dissipate on the triangles of surfaces in one step.
//!
//! The contributions of a step are collected by all threads in any order. `state/wear.rs` sorts
//! them before it adds them.

use std::sync::Mutex;

use glam::DVec3;
use granum_geometry::Shape;

use crate::smooth::response::Response;
use crate::state::bodies::Bodies;
use crate::state::contact::PreviousEvaluation;
use crate::state::contacts::ContactGroup;
use crate::state::{Contact, Phase, WearEntry, WearRecord, World};

/// Distance within which the search for the triangle of a contact begins, relative to the bounding
/// radius of the grain. A contact point is half an overlap below the surface.
const REACH: f64 = 1e-3;

/// Finds the triangles of contacts.
#[derive(Clone, Copy)]
pub(crate) struct Triangles<'a> {
    records: &'a [WearRecord],
    bodies: &'a Bodies,
    shapes: &'a [Shape],
}

impl<'a> Triangles<'a> {
    /// Returns the surfaces of a world whose wear is recorded; `None` without one.
    pub fn new(records: &'a [WearRecord], bodies: &'a Bodies, shapes: &'a [Shape]) -> Option<Self> {
        (!records.is_empty()).then_some(Self { records, bodies, shapes })
    }

    /// Returns the number of the wear record to which a contact belongs. The surface is body a.
    fn record_of(&self, contact: &Contact) -> Option<usize> {
        let id = self.bodies.id[contact.a as usize];
        self.records.iter().position(|record| record.body.0 == id)
    }

    /// Returns the contribution of a contact, without its numbers; `None` if its surface is not
    /// recorded.
    pub fn entry(&self, contact: &Contact) -> Option<WearEntry> {
        let number = self.record_of(contact)?;
        let (a, b) = (contact.a as usize, contact.b as usize);
        let Shape::Surface(surface) = &self.shapes[self.bodies.kinetic[a].tag.shape.0 as usize] else { return None };
        let to_body = self.bodies.orientation[a].conjugate();
        let reach = REACH * self.bodies.sphere[b].radius;
        let triangle = surface.triangle_at(to_body * contact.arm, to_body * contact.normal, reach)?;
        Some(WearEntry {
            surface: number as u32,
            triangle: triangle as u32,
            grain: self.bodies.id[b],
            feature: contact.feature,
            force: 0.0,
            impulse: 0.0,
            friction: 0.0,
            impact: 0.0,
        })
    }
}

/// Collects the contributions of the contacts of one evaluation of the smooth response.
pub(crate) struct WearLog<'a> {
    triangles: Triangles<'a>,
    entries: Mutex<Vec<WearEntry>>,
}

impl<'a> WearLog<'a> {
    pub fn new(triangles: Triangles<'a>) -> Self {
        Self { triangles, entries: Mutex::default() }
    }

    /// Computes the forces of a group of contacts, and collects their contributions.
    pub fn respond(&self, response: &Response, group: &mut ContactGroup, previous: &[PreviousEvaluation]) {
        let is_recorded = |contact: &Contact| self.triangles.record_of(contact).is_some();
        if !group.records.iter().any(|contact| contact.phase != Phase::Gone && is_recorded(contact)) {
            return response.respond(group, previous);
        }
        // The losses of a contact count from its begin: those of an earlier contact of the same
        // features were added when it ended.
        let before: Vec<Option<(f64, f64)>> = group
            .records
            .iter()
            .zip(&group.losses)
            .map(|(contact, losses)| {
                (contact.phase == Phase::Holds).then_some((losses.lost_to_damping, losses.lost_to_friction))
            })
            .collect();
        response.respond(group, previous);
        let mut entries = Vec::new();
        for ((contact, losses), before) in group.records.iter().zip(&group.losses).zip(before) {
            let holds = contact.phase == Phase::Holds;
            let is_unchanged = before.is_some() && response.keep_forces;
            if contact.phase == Phase::Gone || is_unchanged || !(holds || before.is_some()) {
                continue;
            }
            let Some(entry) = self.triangles.entry(contact) else { continue };
            let force = contact.force.dot(contact.normal);
            // The force acts during half a step before and half a step after the evaluation. The
            // contact share shortens the first half. The force of an ended contact is the
            // correction of the half step that was booked in advance.
            let weight = match (response.moving, holds, before) {
                (true, true, _) => 0.5 * (1.0 + losses.kick),
                (true, false, _) | (false, true, None) => 0.5,
                (false, ..) => 0.0,
            };
            let (damping, friction) = before.unwrap_or_default();
            entries.push(WearEntry {
                force: if holds { force } else { 0.0 },
                impulse: weight * response.dt * force,
                friction: losses.lost_to_friction - friction,
                impact: losses.lost_to_damping - damping,
                ..entry
            });
        }
        self.entries.lock().unwrap_or_else(std::sync::PoisonError::into_inner).extend(entries);
    }

    /// Returns the contributions, in any order.
    pub fn into_entries(self) -> Vec<WearEntry> {
        self.entries.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Returns the contribution of a percussion on b, N s, from the work of its normal part and its
/// whole work, J; `None` if the wear of its surface is not recorded.
pub(crate) fn of_percussion(
    triangles: Option<Triangles>,
    contact: &Contact,
    percussion: DVec3,
    [normal_work, work]: [f64; 2],
    dt: f64,
) -> Option<WearEntry> {
    let entry = triangles?.entry(contact)?;
    let impulse = percussion.dot(contact.normal);
    Some(WearEntry { force: impulse / dt, impulse, friction: normal_work - work, impact: -normal_work, ..entry })
}

/// Returns what the contacts on recorded surfaces have booked in advance for the next half step:
/// the impulse of their normal force, and friction work. Percussions book nothing in advance.
pub(crate) fn booked_ahead(world: &World) -> Vec<WearEntry> {
    let World { bodies, shapes, wear, percussion, .. } = world;
    let Some(triangles) = Triangles::new(wear, bodies, shapes).filter(|_| percussion.is_none()) else {
        return Vec::new();
    };
    let response = Response::of(world);
    let holding = world.contact_records().filter(|(contact, ..)| contact.phase == Phase::Holds);
    let entry = |(contact, losses, rolling): (&Contact, &_, _)| {
        let entry = triangles.entry(contact)?;
        let force = contact.force.dot(contact.normal);
        let friction = response.friction_ahead(contact, losses, &rolling);
        Some(WearEntry { force, impulse: 0.5 * response.dt * force, friction, ..entry })
    };
    holding.filter_map(entry).collect()
}
