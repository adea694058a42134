//! The quantities by which the page colours grains: those of `granum render`, and the components of
//! position and velocity.

use granum_engine::BodyState;
use granum_geometry::Kind;
use granum_picture::{ColourMap, Quantity, Subject};
use serde_json::{Value, json};

/// Quantities that the page computes from poses and shapes itself.
const BY_THE_PAGE: [Quantity; 5] = [Quantity::Height, Quantity::Size, Quantity::Id, Quantity::Kind, Quantity::None];

/// A component of the velocity.
type Component = (&'static str, &'static str, fn(&BodyState) -> f64);

/// Components of the velocity with their labels.
const VELOCITIES: [Component; 3] = [
    ("velocity-x", "velocity along x, m/s", |body| body.velocity.x),
    ("velocity-y", "velocity along y, m/s", |body| body.velocity.y),
    ("velocity-z", "velocity along z, m/s", |body| body.velocity.z),
];

/// Number of colours of a map in a message.
const COLOURS: usize = 33;

/// Returns the names of the quantities that the page asks for.
pub fn names() -> impl Iterator<Item = &'static str> {
    let pictured = Quantity::ALL.iter().filter(|(quantity, ..)| !BY_THE_PAGE.contains(quantity));
    pictured.map(|(_, name, _)| *name).chain(VELOCITIES.iter().map(|(name, ..)| *name))
}

/// Returns the values of all bodies, or `None` if there is no such quantity.
pub fn values(name: &str, subject: &Subject) -> Option<Vec<f64>> {
    if let Some((.., component)) = VELOCITIES.iter().find(|(known, ..)| *known == name) {
        return Some(subject.bodies.iter().map(component).collect());
    }
    name.parse::<Quantity>().ok().map(|quantity| quantity.values(subject))
}

/// Describes all quantities and colour maps.
pub fn description() -> Value {
    let pictured = Quantity::ALL.iter().map(|(quantity, name, label)| {
        json!({
            "name": name, "label": label, "magnitude": quantity.is_magnitude(), "category": quantity.is_category(),
            "asked": !BY_THE_PAGE.contains(quantity),
        })
    });
    let velocities = VELOCITIES.iter().map(
        |(name, label, _)| json!({"name": name, "label": label, "magnitude": false, "category": false, "asked": true}),
    );
    let colours =
        |map: &ColourMap| -> Vec<_> { (0..COLOURS).map(|k| map.colour(k as f64 / (COLOURS - 1) as f64)).collect() };
    let maps: serde_json::Map<String, Value> =
        ColourMap::ALL.iter().map(|map| (map.name().to_owned(), json!(colours(map)))).collect();
    json!({
        "quantities": pictured.chain(velocities).collect::<Vec<_>>(),
        "maps": maps,
        "categories": granum_picture::colour_map::CATEGORIES,
        "kinds": Kind::ALL.iter().map(|kind| kind.name().replace('_', " ")).collect::<Vec<_>>(),
    })
}
