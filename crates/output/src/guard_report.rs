//! `guard.json` and `guard_pairs.jsonl`: the report of a guard violation, for users and for `granum
//! contact`.

use std::io;
use std::path::Path;

use granum_engine::guard::Rule;
use granum_engine::{BodyId, BodyState, ContactView, Violation, World};
use granum_geometry::Pose;
use serde_json::{Value, json};

use crate::atomic_file;
use crate::query_line::{PlacedShape, body_value, query_line};

/// Largest number of pairs that are written.
const MOST_PAIRS: usize = 32;

/// The report of a violation: the bodies involved with their state, and their contacts.
pub struct GuardReport {
    /// Contents of `guard.json`.
    value: Value,
    /// The contacts involved, as contact queries.
    pairs: Vec<String>,
}

impl GuardReport {
    /// Creates the report of a violation in a world.
    pub fn new(violation: &Violation, world: &World) -> Self {
        let pairs =
            if violation.pairs.is_empty() { pairs_of(&violation.bodies, world) } else { violation.pairs.clone() };
        let mut named = violation.bodies.clone();
        for id in pairs.iter().flat_map(|&(a, b)| [a, b]) {
            if !named.contains(&id) {
                named.push(id);
            }
        }
        let value = json!({
            "guard": violation.guard.name(),
            "rule": if violation.rule == Rule::Stop { "stop" } else { "warn" },
            "message": violation.message,
            "step": world.steps(),
            "time": world.time(),
            "count": violation.count,
            "bodies": named.iter().map(|&id| body_state(world, id)).collect::<Vec<_>>(),
            "contacts": contacts_among(&named, world),
        });
        // JSON has no numbers that are not finite, and such bodies have no contact.
        let finite =
            |id: BodyId| world.body(id).filter(|body| body.position.is_finite() && body.orientation.is_finite());
        let sound = pairs.into_iter().filter_map(|(a, b)| Some((finite(a)?, finite(b)?)));
        let pairs = sound.map(|(a, b)| query_line(&placed(world, &a), &placed(world, &b))).collect();
        Self { value, pairs }
    }

    /// Writes `guard.json`, and `guard_pairs.jsonl` if there is a pair, into the folder of a run.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let text = serde_json::to_string_pretty(&self.value)? + "\n";
        atomic_file::write_text(&folder.join("guard.json"), &text)?;
        if self.pairs.is_empty() {
            return Ok(());
        }
        atomic_file::write_text(&folder.join("guard_pairs.jsonl"), &(self.pairs.join("\n") + "\n"))
    }

    /// Returns the number of pairs that `granum contact` can evaluate again.
    pub fn pairs(&self) -> usize {
        self.pairs.len()
    }
}

/// Returns the pairs of bodies that are in contact with the given bodies.
fn pairs_of(bodies: &[BodyId], world: &World) -> Vec<(BodyId, BodyId)> {
    let all = world.contacts().map(|contact| (contact.a(), contact.b()));
    let mut pairs: Vec<_> = all.filter(|(a, b)| bodies.contains(a) || bodies.contains(b)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs.truncate(MOST_PAIRS);
    pairs
}

fn placed<'w>(world: &'w World, body: &BodyState) -> PlacedShape<'w> {
    let pose = Pose { position: body.position, orientation: body.orientation };
    PlacedShape { shape: world.shape(body.shape), pose, planar: world.is_planar() }
}

/// Returns the state of a body in SI units. A number that is not finite becomes null.
fn body_state(world: &World, id: BodyId) -> Value {
    let Some(body) = world.body(id) else { return Value::Null };
    let wrench = world.contact_wrench(id);
    let mut state = body_value(&placed(world, &body));
    let more = json!({
        "id": id.0,
        "material": world.material(body.material).name,
        "mass": body.mass,
        "velocity": body.velocity,
        "spin": body.spin,
        "angular_momentum": world.angular_momentum(id),
        "contact_force": wrench.force,
        "contact_torque": wrench.torque,
    });
    if let (Value::Object(state), Value::Object(more)) = (&mut state, more) {
        state.extend(more);
    }
    state
}

/// Returns the contacts between two bodies as the engine stores them.
fn contacts_among(named: &[BodyId], world: &World) -> Vec<Value> {
    let among = world.contacts().filter(|c| named.contains(&c.a()) && named.contains(&c.b()));
    let mut contacts: Vec<_> = among.collect();
    contacts.sort_by_key(|c| (c.a(), c.b(), c.feature()));
    let value = |c: &ContactView| json!({ "a": c.a().0, "b": c.b().0, "gap": c.gap(), "normal": c.normal(), "force": c.force() });
    contacts.iter().map(value).collect()
}
