//! The quantities by which grains can be coloured.

use std::fmt;
use std::str::FromStr;

use glam::DVec3;
use granum_engine::BodyState;
use granum_output::measure::own_axis;
use rayon::prelude::*;

use crate::subject::Subject;

/// A quantity of each grain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quantity {
    /// Magnitude of the velocity.
    #[default]
    Speed,
    /// Magnitude of the angular velocity.
    AngularSpeed,
    /// Height of the centre.
    Height,
    /// Diameter of the bounding ball.
    Size,
    /// Mass.
    Mass,
    /// Id of the grain.
    Id,
    /// Material.
    Material,
    /// Kind of shape.
    Kind,
    /// Angle between the vertical and the distinguished axis (the longest, or the axis of a coin).
    Orientation,
    /// Sum of the magnitudes of the contact forces.
    Force,
    /// Number of bodies in contact.
    Coordination,
    /// Mean pressure in the grain, from its contact forces.
    Pressure,
    /// No quantity: all grains have the same colour.
    None,
}

impl Quantity {
    /// Every quantity with its name and the label of its colour bar.
    pub const ALL: [(Self, &'static str, &'static str); 13] = [
        (Self::Speed, "speed", "speed, m/s"),
        (Self::AngularSpeed, "angular-speed", "angular speed, rad/s"),
        (Self::Height, "height", "height, m"),
        (Self::Size, "size", "size, m"),
        (Self::Mass, "mass", "mass, kg"),
        (Self::Id, "id", "grain"),
        (Self::Material, "material", "material"),
        (Self::Kind, "kind", "shape"),
        (Self::Orientation, "orientation", "tilt, °"),
        (Self::Force, "force", "contact forces, N"),
        (Self::Coordination, "coordination", "contacts"),
        (Self::Pressure, "pressure", "pressure, Pa"),
        (Self::None, "none", ""),
    ];

    /// Returns the label of the colour bar.
    pub fn label(self) -> &'static str {
        Self::ALL.iter().find(|(quantity, ..)| *quantity == self).map_or("", |(.., label)| label)
    }

    /// Returns whether the quantity is a magnitude, whose colours always start at zero.
    pub fn is_magnitude(self) -> bool {
        matches!(self, Self::Speed | Self::AngularSpeed | Self::Force | Self::Coordination)
    }

    /// Returns the least value of the last colour. Below it motion is not visible: a bed at rest
    /// has one colour, and not a pattern of its last vibrations.
    ///
    /// The unit of speed is that of a fall by the largest diameter, `sqrt(2 g D)`.
    pub fn least_maximum(self, subject: &Subject) -> f64 {
        const AT_REST: f64 = 0.01;
        const GRAVITY: f64 = 9.81;
        let radius = |body: &BodyState| subject.shape(body).as_convex().bounding_radius();
        let largest = subject.bodies.iter().filter(|body| Subject::is_grain(body)).map(radius).fold(0.0, f64::max);
        let speed = AT_REST * (4.0 * GRAVITY * largest).sqrt();
        match self {
            Self::Speed => speed,
            Self::AngularSpeed if largest > 0.0 => speed / largest,
            Self::Coordination => 1.0,
            _ => 0.0,
        }
    }

    /// Returns true if the values are categories and not numbers.
    pub fn is_category(self) -> bool {
        matches!(self, Self::Material | Self::Kind)
    }

    /// Returns the value of every body, in the order of the bodies, in SI units and degrees.
    pub fn values(self, subject: &Subject) -> Vec<f64> {
        let each = |value: &(dyn Fn(&BodyState) -> f64 + Sync)| subject.bodies.par_iter().map(value).collect();
        let up = subject.up();
        match self {
            Self::Speed => each(&|body| body.velocity.length()),
            Self::AngularSpeed => each(&|body| body.spin.length()),
            Self::Height => each(&|body| up.dot(body.position)),
            Self::Size => each(&|body| 2.0 * subject.shape(body).as_convex().bounding_radius()),
            Self::Mass => each(&|body| body.mass),
            Self::Id => each(&|body| f64::from(body.id.0)),
            Self::Material => each(&|body| f64::from(body.material.0)),
            Self::Kind => each(&|body| f64::from(subject.shape(body).kind() as u8)),
            Self::Orientation => each(&|body| tilt(subject, body, up)),
            Self::Force => by_contact(subject, |force, _| force.length()),
            Self::Coordination => coordination(subject),
            Self::Pressure => pressure(subject),
            Self::None => each(&|_| 0.0),
        }
    }

    /// Returns the name of a category.
    pub(crate) fn category(self, value: usize, subject: &Subject) -> String {
        match self {
            Self::Material => subject.materials.get(value).cloned().unwrap_or_else(|| format!("material {value}")),
            _ => granum_geometry::Kind::ALL.get(value).map_or_else(String::new, |kind| words(&format!("{kind:?}"))),
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(Self::ALL.iter().find(|(quantity, ..)| quantity == self).map_or("", |(_, name, _)| name))
    }
}

impl FromStr for Quantity {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(_, name, _)| *name == text).map(|(quantity, ..)| *quantity);
        found.ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|(_, name, _)| *name).collect();
            format!("no such quantity; choose one of {}", names.join(", "))
        })
    }
}

/// Converts `HalfSpace` to `half space`.
fn words(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

/// Returns the angle between the distinguished axis and the vertical, degrees. A grain without such
/// an axis uses its third one.
fn tilt(subject: &Subject, body: &BodyState, up: DVec3) -> f64 {
    let axis = body.orientation * own_axis(subject.shape(body)).unwrap_or(DVec3::Z);
    libm::acos(up.dot(axis).abs().min(1.0)).to_degrees()
}

/// Sums `part` over the contacts of each body. Its arguments are the force on the body and the
/// lever arm from its centre.
fn by_contact(subject: &Subject, part: impl Fn(DVec3, DVec3) -> f64) -> Vec<f64> {
    let mut sums = vec![0.0; subject.bodies.len()];
    for contact in subject.contacts {
        for (id, force) in [(contact.a, -contact.force), (contact.b, contact.force)] {
            if let Some(index) = subject.index_of(id) {
                sums[index] += part(force, contact.point - subject.bodies[index].position);
            }
        }
    }
    sums
}

/// Returns the number of bodies in contact. Several contact points of two bodies count once.
fn coordination(subject: &Subject) -> Vec<f64> {
    let mut counts = vec![0.0; subject.bodies.len()];
    let pairs = subject.contacts.iter().map(|contact| (contact.a, contact.b));
    let mut last = None;
    for pair in pairs {
        if last.replace(pair) != Some(pair) {
            for index in [pair.0, pair.1].into_iter().filter_map(|id| subject.index_of(id)) {
                counts[index] += 1.0;
            }
        }
    }
    counts
}

/// Returns the pressure, `-sum(force . arm) / (3 volume)`, positive in compression, Pa.
fn pressure(subject: &Subject) -> Vec<f64> {
    let volumes: Vec<f64> = subject.shapes.par_iter().map(|shape| shape.as_convex().mass_properties().volume).collect();
    let mut sums = by_contact(subject, |force, arm| -force.dot(arm));
    for (sum, body) in sums.iter_mut().zip(subject.bodies) {
        *sum /= 3.0 * volumes[body.shape.0 as usize];
    }
    sums
}
