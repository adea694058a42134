//! One stage of a run: the changes at its start, and the condition of its end.

use glam::DVec3;
use granum_engine::{Course, GuideKind, Motion, Simulation, WallMotion, World, WorldError};

use crate::build::motion::wall_motion;
use crate::format::{StageTable, UntilTable};

/// Default number of checks of the kinetic energy in the longest duration of a stage.
const CHECKS: f64 = 100.0;

/// A stage whose times are numbers of steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    name: String,
    /// Largest number of steps.
    steps: u64,
    until: Option<Until>,
    gravity: Option<DVec3>,
    motions: Vec<(String, Motion)>,
    remove: Vec<String>,
}

/// A condition that ends a stage.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Until {
    /// Kinetic energy below which the stage ends, J.
    kinetic_energy_below: f64,
    /// Number of steps between two checks.
    every: u64,
}

impl StageTable {
    /// Returns the longest duration of the stage, s; 0 if the table gives none, which `check`
    /// refuses.
    pub fn longest(&self) -> f64 {
        self.duration.or(self.until.as_ref().map(|until| until.at_most)).unwrap_or(0.0)
    }
}

impl UntilTable {
    /// Returns the time between two checks, s.
    pub fn interval(&self) -> f64 {
        self.check_every.unwrap_or(self.at_most / CHECKS)
    }
}

impl Stage {
    /// Creates the stage of a table.
    pub fn new(number: usize, table: &StageTable, time_step: f64, planar: bool) -> Result<Self, WorldError> {
        let steps = |time: f64| ((time / time_step).round() as u64).max(1);
        let driven =
            table.motion.iter().map(|(name, motion)| Ok((name.clone(), Motion::Driven(wall_motion(motion, planar)?))));
        let halted = table.halt.iter().map(|name| Ok((name.clone(), Motion::Fixed)));
        Ok(Self {
            name: table.name.clone().unwrap_or_else(|| format!("stage {}", number + 1)),
            steps: steps(table.longest()),
            until: table.until.as_ref().map(|until| Until {
                kinetic_energy_below: until.kinetic_energy_below,
                every: steps(until.interval()),
            }),
            gravity: table.gravity,
            motions: driven.chain(halted).collect::<Result<_, WorldError>>()?,
            remove: table.remove.clone(),
        })
    }

    /// Returns the next step after `step` at which the stage may end.
    pub fn next_event(&self, began: u64, step: u64) -> u64 {
        let end = began + self.steps;
        let next_check = |until: Until| began + (step + 1 - began).next_multiple_of(until.every);
        self.until.map_or(end, |until| next_check(until).min(end)).max(step + 1)
    }

    /// Applies the changes of the stage, and returns a message for the user.
    pub fn begin(&self, simulation: &mut Simulation) -> String {
        let changes = self.gravity.is_some() || !self.motions.is_empty() || !self.remove.is_empty();
        let time = simulation.world().time();
        if changes {
            simulation.world_mut().change(|world| {
                // The values and names were checked when the scene was read. A wall that an earlier
                // stage has removed has no motion, and stays removed.
                let is_there = |world: &World, id| world.body(id).is_some();
                let gravity = self.gravity.map_or(Ok(()), |gravity| world.set_gravity(gravity));
                debug_assert_eq!(gravity, Ok(()));
                for (name, motion) in &self.motions {
                    let ids: Vec<_> = world.bodies_named(name).filter(|&id| is_there(world, id)).collect();
                    let set: Result<(), _> = ids.into_iter().try_for_each(|id| world.set_motion(id, motion.clone()));
                    debug_assert_eq!(set, Ok(()));
                }
                for name in &self.remove {
                    let ids: Vec<_> = world.bodies_named(name).filter(|&id| is_there(world, id)).collect();
                    let removed: Result<(), _> = ids.into_iter().try_for_each(|id| world.remove_wall(id));
                    debug_assert_eq!(removed, Ok(()));
                }
            });
        }
        format!("{} begins at {time:.6} s{}", self.name, self.changes())
    }

    /// Returns the changes of the stage as the end of a sentence; empty without changes.
    fn changes(&self) -> String {
        let mut parts = Vec::new();
        if let Some(g) = self.gravity {
            parts.push(format!("gravity [{}, {}, {}] m/s2", g.x, g.y, g.z));
        }
        for (name, motion) in &self.motions {
            parts.push(match motion {
                Motion::Driven(motion) => format!("{name} {}", description(motion)),
                _ => format!("{name} stops"),
            });
        }
        parts.extend(self.remove.iter().map(|name| format!("{name} is removed")));
        if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) }
    }

    /// Returns messages for the user if the stage ends now; `None` if it continues.
    ///
    /// A condition does not end the stage while inlets still have grains to add.
    pub fn end(&self, began: u64, simulation: &Simulation, all_poured: bool) -> Option<Vec<String>> {
        let step = simulation.world().steps();
        if let Some(until) = self.until.filter(|until| step > began && (step - began).is_multiple_of(until.every)) {
            let energy = simulation.energy();
            let kinetic = energy.kinetic_translational + energy.kinetic_rotational;
            if kinetic < until.kinetic_energy_below && all_poured {
                let time = simulation.world().time();
                return Some(vec![format!("{} ends at {time:.6} s: kinetic energy {kinetic:.3e} J", self.name)]);
            }
        }
        if step < began + self.steps {
            return None;
        }
        let late = self.until.map(|until| {
            let energy = simulation.energy();
            let kinetic = energy.kinetic_translational + energy.kinetic_rotational;
            let below = until.kinetic_energy_below;
            format!(
                "{} ends after its longest duration; the kinetic energy is {kinetic:.3e} J, not below {below:.3e} J",
                self.name
            )
        });
        Some(late.into_iter().collect())
    }
}

/// Returns what a wall with a motion does.
fn description(motion: &WallMotion) -> String {
    match (motion.guide.map(|guide| guide.kind), &motion.prescribed[..]) {
        (Some(GuideKind::Servo { force, .. }), _) => format!("holds {force} N"),
        (Some(GuideKind::Free { mass, .. }), _) => format!("moves freely with {mass} kg"),
        (None, [drive]) => match drive.displacement {
            Course::Oscillation { frequency, .. } => format!("oscillates at {frequency} Hz"),
            _ => "moves".into(),
        },
        (None, _) => "moves".into(),
    }
}
