//! Relation of two ellipsoids x'Ax < 0 and x'Bx < 0, with the roots of det(lambda A + B)
//! [Wang2001, Trabelsi2009].
//!
//! Two ellipsoids are separated if and only if two roots are positive and distinct \[Wang2001\].
//! The converse of "one contains the other, therefore four roots are negative" [Trabelsi2009,
//! theorem 2.8] is false, and so is "a negative double root means internal tangency" [Trabelsi2009,
//! lemma 2.4] (`docs/theory/ellipsoid_relation.md`). Therefore the relation is decided without the
//! roots, by the deepest and the farthest point ([`Reduced`](super::quadric::Reduced)); the roots
//! are reported as details. A grain in a hollow ellipsoid has the same relations; it touches the
//! wall unless it lies inside.

use super::hollow::Hollow;
use super::pencil::pencil_roots;
use super::quadric::Ellipsoids;
use super::{Detail, Method, Outcome};
use granum_geometry::Pair;

/// Absolute value of the inside-outside function below which two ellipsoids are tangent: some
/// thousand roundings of a function of size 1.
const TANGENT: f64 = 1e-12;

/// The method.
pub const METHOD: Method = Method {
    name: "algebraic",
    about: "relation of the pair (separated, tangent, crossing, inside), roots of det(lambda A + B); no gap",
    pairs: "spheres and ellipsoids, and one of these in a hollow sphere or ellipsoid",
    serves: |pair| Ellipsoids::of(pair).is_some() || Hollow::of(pair).is_some(),
    solve,
};

/// The relation of two ellipsoids \[Trabelsi2009, definition 2.1\].
#[derive(Clone, Copy, Debug, PartialEq)]
enum Relation {
    Separated,
    ExternallyTangent,
    Crossing,
    /// One lies inside the other, which is named first by its index, and touches it or not.
    Inside {
        container: usize,
        touches: bool,
    },
    Identical,
}

impl Relation {
    fn of(pair: &Ellipsoids) -> Self {
        let reduced = pair.reduced();
        match reduced.deepest() {
            Some((_, e)) if e > TANGENT => return Self::Separated,
            Some((_, e)) if e >= -TANGENT => return Self::ExternallyTangent,
            _ => {}
        }
        let farthest = [reduced.farthest().1 - 1.0, pair.swapped().reduced().farthest().1 - 1.0];
        match farthest.map(|excess| excess <= TANGENT) {
            [true, true] => Self::Identical,
            [false, false] => Self::Crossing,
            contains => {
                let container = usize::from(contains[1]);
                Self::Inside { container, touches: farthest[container] >= -TANGENT }
            }
        }
    }

    /// Returns the relation of the pair in the other order.
    fn swapped(self) -> Self {
        match self {
            Self::Inside { container, touches } => Self::Inside { container: 1 - container, touches },
            other => other,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Separated => "separated",
            Self::ExternallyTangent => "externally tangent",
            Self::Crossing => "crossing",
            Self::Inside { container: 0, touches: false } => "b inside a",
            Self::Inside { container: 0, touches: true } => "internally tangent, b inside a",
            Self::Inside { touches: false, .. } => "a inside b",
            Self::Inside { touches: true, .. } => "internally tangent, a inside b",
            Self::Identical => "identical",
        }
    }
}

fn solve(pair: &Pair) -> Outcome {
    let (ellipsoids, relation, touching) = if let Some(ellipsoids) = Ellipsoids::of(pair) {
        let relation = Relation::of(&ellipsoids);
        (ellipsoids, relation, relation != Relation::Separated)
    } else if let Some(Hollow { ellipsoids, container }) = Hollow::of(pair) {
        let relation = Relation::of(&ellipsoids);
        let touching = relation != Relation::Inside { container: 0, touches: false };
        (ellipsoids, if container == 0 { relation } else { relation.swapped() }, touching)
    } else {
        return Outcome::default();
    };
    let roots = pencil_roots(&ellipsoids.reduced());
    let count = |sign: f64| roots.iter().filter(|root| root.is_real && root.re * sign > 0.0).count();
    let mut details = vec![
        ("relation", Detail::Text(relation.name())),
        ("positive_roots", Detail::Number(count(1.0) as f64)),
        ("negative_roots", Detail::Number(count(-1.0) as f64)),
    ];
    for (root, name) in roots.into_iter().zip(["root_1", "root_2", "root_3", "root_4"]) {
        details.push((name, Detail::Number(root.re)));
    }
    Outcome { touching, details, ..Outcome::default() }
}
