//! Descriptions of the shapes and their fields, for the JSON schema and the scene reference.

/// The description of a shape: its name, one sentence, and its fields with their meanings.
type Description = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// Every shape of a scene. A test compares the names with those of the crate `geometry`.
const SHAPES: &[Description] = &[
    (
        "half_space",
        "A plane wall, for walls only. The body lies behind the plane.",
        &[("normal", "Normal of the plane, which points to the grains; of any length but 0.")],
    ),
    ("inside_sphere", "The inside of a hollow sphere, for walls only.", &[("radius", "Radius, m.")]),
    (
        "inside_ellipsoid",
        "The inside of a hollow ellipsoid, for walls only.",
        &[("semi_axes", "Semi-axes along x, y and z, m.")],
    ),
    (
        "inside_cylinder",
        "The inside of a hollow cylinder with its axis along z and two end walls, for walls only.",
        &[("radius", "Radius, m."), ("half_height", "Half the length, m.")],
    ),
    ("sphere", "A ball.", &[("radius", "Radius, m.")]),
    ("ellipsoid", "An ellipsoid.", &[("semi_axes", "Semi-axes along x, y and z, m.")]),
    (
        "superellipsoid",
        "A superellipsoid: the points with (|x/a|^(2/e1) + |y/b|^(2/e1))^(e1/e2) + |z/c|^(2/e2) = 1.",
        &[
            ("semi_axes", "Semi-axes a, b and c along x, y and z, m."),
            (
                "eps",
                "Exponents [e1, e2] above 0 and below 2. The first shapes the outline seen along z, the second the \
                 outlines seen along x and y: 1 is round, small values are square, and values near 2 are pointed. A \
                 round tablet with its axis along z is [1, 0.5]; [0.5, 1] is square seen along z.",
            ),
        ],
    ),
    (
        "cylinder",
        "A cylinder with its axis along z, from a coin to a needle.",
        &[("radius", "Radius, m."), ("half_height", "Half the height, m.")],
    ),
    (
        "capsule",
        "A capsule with its axis along z: a cylinder with a half ball on each end.",
        &[
            ("radius", "Radius of the side and of the round ends, m."),
            ("half_height", "Half the length of the straight part, m. The capsule is 2 (half_height + radius) long."),
        ],
    ),
    (
        "truncated_cone",
        "A truncated cone with its axis along z.",
        &[
            ("radii", "Radii of the lower and of the upper base, m. One may be 0, which makes a cone."),
            ("half_height", "Half the height, m."),
        ],
    ),
    (
        "tablet",
        "A biconvex tablet with its axis along z: a cylindrical band between two equal spherical caps.",
        &[
            ("radius", "Radius of the band, m: half the diameter of the tablet."),
            ("half_height", "Half the height of the band, m. It may be 0, which makes a lens."),
            (
                "cap_height",
                "Height of each cap, m; above 0 and at most the radius. The tablet is 2 (half_height + cap_height) \
                 thick, and its caps have the radius of curvature (radius^2 + cap_height^2) / (2 cap_height).",
            ),
        ],
    ),
    ("box", "A box.", &[("half_sizes", "Half the edge lengths along x, y and z, m.")]),
    (
        "polyhedron",
        "A convex polyhedron: the hull of vertices, the surface of a file, a gabion stone, or a random rock.",
        &[
            ("vertices", "Vertices [x, y, z], m, in any axes and any order. The body is their convex hull."),
            (
                "gabion",
                "A stone with twelve faces, by four lengths, m: length, height between the tips, width, and height of \
                 the belt.",
            ),
            ("rock", "Length, width and height of a random rock, m."),
            ("corners", "Number of corners of the rock, 4 to 1000. Default: 20."),
            ("seed", "Seed of the corners of the rock. Default: 0."),
        ],
    ),
    ("inside_circle", "The inside of a hollow circle, for walls of planar scenes only.", &[("radius", "Radius, m.")]),
    (
        "segment",
        "A straight wall with round ends, for walls of planar scenes only.",
        &[
            ("from", "One end [x, y], m."),
            ("to", "The other end [x, y], m."),
            ("radius", "Half the thickness, m. Default: 0."),
        ],
    ),
    ("disc", "A disc, for planar scenes.", &[("radius", "Radius, m.")]),
    ("ellipse", "An ellipse, for planar scenes.", &[("semi_axes", "Semi-axes along x and y, m.")]),
    (
        "superellipse",
        "A superellipse, for planar scenes: the points with |x/a|^n + |y/b|^n = 1.",
        &[
            ("semi_axes", "Semi-axes a and b along x and y, m."),
            ("n", "Exponent, 1.2 to 20: 2 makes an ellipse, larger values make rounded rectangles."),
        ],
    ),
    (
        "polygon",
        "A convex polygon, for planar scenes.",
        &[("vertices", "Vertices [x, y], m, in any axes and any order. The body is their convex hull.")],
    ),
];

/// Returns the description of a shape; empty if it has none.
pub fn shape(name: &str) -> &'static str {
    of(name).map_or("", |(_, about, _)| about)
}

/// Returns the description of a field of a shape; empty if it has none.
pub fn field(shape: &str, field: &str) -> &'static str {
    let fields = of(shape).map_or(&[][..], |(_, _, fields)| fields);
    fields.iter().find(|(name, _)| *name == field).map_or("", |(_, meaning)| meaning)
}

fn of(name: &str) -> Option<&'static Description> {
    SHAPES.iter().find(|(known, ..)| *known == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{fields::fields, names};

    #[test]
    fn every_shape_and_every_field_is_described() {
        for name in names() {
            let (_, _, described) = of(&name).unwrap_or_else(|| panic!("{name} has no description"));
            let mut described: Vec<&str> = described.iter().map(|(field, _)| *field).collect();
            let mut known = fields(&name).to_vec();
            described.sort_unstable();
            known.sort_unstable();
            assert_eq!(described, known, "{name}");
        }
        assert_eq!(SHAPES.len(), names().len());
    }
}
