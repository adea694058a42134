//! Minimum of the support function `h(n)` of surfaces with edges or corners that are curved
//! elsewhere.
//!
//! Near an edge `h` is the maximum of a few smooth branches, one for each corner, edge end or patch
//! that takes part. Each support point gives a quadratic model of its branch on the plane `n + s`,
//! `q_i(s) = z_i.(n + s) + (s - s_i).A_i (s - s_i) / 2`. The minimum of the largest model is the
//! next direction. It has one, two or three active branches, and all subsets of the stored branches
//! are tried. Polytopes (`A = 0`) and smooth surfaces (one branch) are special cases.

use glam::{DMat2, DMat3, DVec2, DVec3};

use super::Contact;
use super::difference::{Difference, Vertex};
use super::polish::{LARGEST_RADIUS, bounded_step};
use crate::numeric::math::tangent_frame;

/// Newton steps for a stationary point. The models are quadratic, so that few are needed.
const NEWTON_STEPS: usize = 3;

/// Number of stored branches. Three can be active, and three more are candidates.
const BRANCHES: usize = 6;

/// Largest number of steps. The model is exact to second order, so that 4 to 15 suffice.
const MAX_STEPS: usize = 30;

/// Step of the finite differences for `A_i`, rad. Their rounding error is 1e-10 and their
/// truncation error 1e-5, which suffices for fast convergence and for extrapolation over the
/// distance [`NEAR`].
const DIFFERENCE_STEP: f64 = 1e-5;

/// Sideways fraction of the second finite difference. It is small because the region of a branch
/// may be a thin wedge.
const SIDEWAYS: f64 = 0.1;

/// Tilt that makes one branch the largest, rad. Its error is its square, but it exceeds the
/// rounding error that decides between branches of equal value.
const TILT: f64 = 3e-10;

/// Angle over which a branch is extrapolated to first order in the result, rad. Its square is a
/// rounding error.
const NEAR: f64 = 1e-9;

/// Largest step, rad. The quadratic models are invalid beyond it.
const LARGEST_STEP: f64 = 0.5;

/// Largest step along a ridge, rad.
const RIDGE_STEP: f64 = 0.3;

/// Step at which the search ends, rad.
const FOUND: f64 = 1e-10;

/// Negative weight that counts as zero because of rounding.
const ROUNDING: f64 = 1e-12;

/// Curvature that is added to the models, in units. A level valley, as for a concentric ball, has
/// no curvature, and rounding errors must not determine the step.
const VALLEY: f64 = 1e-9;

/// Residual at which the active branches share one normal, in units.
const MEETS: f64 = 1e-13;

/// A support point with its direction and its derivatives with respect to the direction.
#[derive(Clone, Copy)]
struct Branch {
    direction: DVec3,
    vertex: Vertex,
    /// Derivatives of `z` and of `a` along the two axes of the branch's own frame.
    axes: [DVec3; 2],
    dz: [DVec3; 2],
    da: [DVec3; 2],
}

impl Branch {
    fn new(difference: &Difference, direction: DVec3) -> Self {
        let vertex = difference.support(direction);
        // Uphill, and slightly to the side, the branch stays the largest one, so that finite
        // differences in these directions do not jump to another branch.
        let slope = vertex.z - vertex.z.dot(direction) * direction;
        let uphill = slope.try_normalize().unwrap_or_else(|| tangent_frame(direction).0);
        let axes = [uphill, direction.cross(uphill)];
        let derivative = |axis: DVec3| {
            let beside = difference.support(direction + DIFFERENCE_STEP * axis);
            let change =
                Vertex { z: (beside.z - vertex.z) / DIFFERENCE_STEP, a: (beside.a - vertex.a) / DIFFERENCE_STEP };
            // The finite difference has jumped to another branch. A corner, without curvature, is
            // then the best model of this one.
            if change.z.length() > LARGEST_RADIUS { Vertex::default() } else { change }
        };
        let (up, askew) = (derivative(axes[0]), derivative(axes[0] + SIDEWAYS * axes[1]));
        let dz = [up.z, (askew.z - up.z) / SIDEWAYS];
        let da = [up.a, (askew.a - up.a) / SIDEWAYS];
        Self { direction, vertex, axes, dz, da }
    }

    /// Returns `h` in the direction of the branch.
    fn height(&self) -> f64 {
        self.direction.dot(self.vertex.z)
    }

    /// Returns the points `z` and `a` of the branch in the direction `n`, to first order.
    fn at(&self, n: DVec3) -> Vertex {
        let along = self.axes.map(|axis| axis.dot(n) / self.direction.dot(n));
        Vertex {
            z: self.vertex.z + along[0] * self.dz[0] + along[1] * self.dz[1],
            a: self.vertex.a + along[0] * self.da[0] + along[1] * self.da[1],
        }
    }
}

/// The quadratic model of a branch on the tangent plane of the present direction.
#[derive(Clone, Copy)]
struct Model {
    s: DVec2,
    value: f64,
    slope: DVec2,
    radii: DMat2,
}

impl Model {
    fn new(branch: &Branch, n: DVec3, t: DVec3, u: DVec3) -> Self {
        let flat = |v: DVec3| DVec2::new(v.dot(t), v.dot(u));
        let scale = branch.direction.dot(n);
        // dz/ds from the derivatives along the axes of the branch, because the directions differ
        // little.
        let outer = |dz: DVec3, axis: DVec3| {
            let (d, a) = (flat(dz), flat(axis));
            DMat2::from_cols(d * a.x, d * a.y)
        };
        let sum = outer(branch.dz[0], branch.axes[0]) + outer(branch.dz[1], branch.axes[1]);
        let radii = 0.5 * (sum + sum.transpose());
        let s = flat(branch.direction) / scale;
        Self { s, value: branch.vertex.z.dot(n) + flat(branch.vertex.z).dot(s), slope: flat(branch.vertex.z), radii }
    }

    fn value(&self, s: DVec2) -> f64 {
        let d = s - self.s;
        self.value + self.slope.dot(d) + 0.5 * d.dot(self.radii * d)
    }

    fn slope(&self, s: DVec2) -> DVec2 {
        self.slope + self.radii * (s - self.s)
    }
}

/// A stationary point of the maximum of some models, with the weights of the active models.
#[derive(Clone, Copy)]
struct Stationary {
    s: DVec2,
    weights: [(usize, f64); 3],
    /// True for a minimum, false for a saddle point.
    minimal: bool,
}

/// Returns the minimum of the largest model on the sphere. `h` is the value at the present
/// direction.
fn minimum(models: &[Model], h: f64, radius: f64) -> Option<Stationary> {
    let count = models.len();
    let mut best: Option<(f64, Stationary)> = None;
    let mut consider = |candidate: Option<Stationary>| {
        let Some(found) = candidate else { return };
        let valid = found.s.length() <= radius && found.weights.iter().all(|&(_, w)| w >= -ROUNDING);
        if !valid {
            return;
        }
        let sphere = 1.0 / (1.0 + found.s.length_squared()).sqrt();
        let largest = models.iter().map(|m| m.value(found.s)).fold(f64::NEG_INFINITY, f64::max) * sphere;
        // A minimum precedes a saddle point, and only then the lower value counts.
        let better = |(value, best): (f64, Stationary)| (found.minimal, -largest) > (best.minimal, -value);
        if best.is_none_or(better) {
            best = Some((largest, found));
        }
    };
    for i in 0..count {
        consider(one(models, i, h));
        for j in 0..i {
            consider(two(models, [i, j], h));
            for k in 0..j {
                consider(three(models, [i, j, k], h));
            }
        }
    }
    best.map(|(_, found)| found)
}

/// Returns the minimum of one model.
fn one(models: &[Model], i: usize, h: f64) -> Option<Stationary> {
    let m = &models[i];
    let hessian = m.radii - DMat2::from_diagonal(DVec2::splat(h - VALLEY));
    let convex = hessian.determinant() > 0.0 && hessian.x_axis.x > 0.0;
    convex.then(|| Stationary {
        s: hessian.inverse() * (m.radii * m.s - m.slope),
        weights: [(i, 1.0), (i, 0.0), (i, 0.0)],
        minimal: true,
    })
}

/// Returns the minimum of two models on the curve where they are equal.
fn two(models: &[Model], [i, j]: [usize; 2], h: f64) -> Option<Stationary> {
    let (mut s, mut w) = (DVec2::ZERO, 0.5);
    let mut downward = false;
    for _ in 0..NEWTON_STEPS {
        let (p, q) = (models[i].slope(s), models[j].slope(s));
        let across = p - q;
        let along = across.perp().normalize_or_zero();
        let mut hessian = w * models[i].radii + (1.0 - w) * models[j].radii - DMat2::from_diagonal(DVec2::splat(h));
        // Along a ridge with negative curvature use its absolute value, which gives a descent step.
        let curvature = along.dot(hessian * along);
        downward = curvature < -VALLEY;
        hessian += DMat2::from_diagonal(DVec2::splat((-2.0 * curvature).max(0.0) + VALLEY));
        let matrix =
            DMat3::from_cols(hessian.x_axis.extend(across.x), hessian.y_axis.extend(across.y), across.extend(0.0));
        let left = (w * p + (1.0 - w) * q - h * s).extend(models[i].value(s) - models[j].value(s));
        if matrix.determinant() == 0.0 {
            return None;
        }
        let step = matrix.inverse() * left;
        s = (s - step.truncate()).clamp_length_max(RIDGE_STEP);
        w -= step.z;
    }
    Some(Stationary { s, weights: [(i, w), (j, 1.0 - w), (j, 0.0)], minimal: !downward })
}

/// Returns the point where three models are equal.
fn three(models: &[Model], [i, j, k]: [usize; 3], h: f64) -> Option<Stationary> {
    let mut s = DVec2::ZERO;
    for _ in 0..NEWTON_STEPS {
        let base = models[k].slope(s);
        let matrix = DMat2::from_cols(models[i].slope(s) - base, models[j].slope(s) - base).transpose();
        if matrix.determinant() == 0.0 {
            return None;
        }
        let value = models[k].value(s);
        s -= matrix.inverse() * DVec2::new(models[i].value(s) - value, models[j].value(s) - value);
    }
    let base = models[k].slope(s);
    let matrix = DMat2::from_cols(models[i].slope(s) - base, models[j].slope(s) - base);
    let w = matrix.inverse() * (h * s - base);
    w.is_finite().then_some(Stationary { s, weights: [(i, w.x), (j, w.y), (k, 1.0 - w.x - w.y)], minimal: true })
}

/// Minimises from `start`. It returns `None` if no set of branches shares one normal.
pub(super) fn ridge(difference: &Difference, start: DVec3, iterations: &mut u32) -> Option<Contact> {
    let mut centre = Branch::new(difference, start);
    if centre.dz == [DVec3::ZERO; 2] {
        return None; // a corner on a corner: GJK and EPA are exact for polytopes
    }
    let mut branches = vec![centre];
    let mut radius = LARGEST_STEP;
    let mut best: Option<Contact> = None;
    for _ in 0..MAX_STEPS {
        *iterations += 1;
        let n = centre.direction;
        let h = n.dot(centre.vertex.z);
        let (t, u) = tangent_frame(n);
        let models: Vec<Model> = branches.iter().map(|branch| Model::new(branch, n, t, u)).collect();
        let turned = |s: DVec2| (n + s.x * t + s.y * u).normalize();
        let Some(found) = minimum(&models, h, radius) else {
            // The known branches have no minimum: go downhill until a new branch ends the descent.
            let own = Model::new(&centre, n, t, u);
            let (step, _) = bounded_step(own.radii - DMat2::from_diagonal(DVec2::splat(h)), own.slope, radius);
            let next = Branch::new(difference, turned(step));
            // The radius grows as long as the descent succeeds, and shrinks when the step has
            // passed the next ridge.
            radius *= if next.height() < h { 2.0 } else { 0.5 };
            radius = radius.min(LARGEST_STEP);
            keep(&mut branches, next, &mut centre);
            continue;
        };
        let next = turned(found.s);
        let contact = mean(difference, next, &branches, &found);
        let near = |&(i, weight): &(usize, f64)| weight == 0.0 || branches[i].direction.distance(next) <= NEAR;
        // In a level valley the step is arbitrary, so that the residual decides.
        let settled = found.s.length() <= FOUND || contact.residual <= MEETS;
        if settled && found.minimal && found.weights.iter().all(near) {
            if contact.is_exact() && best.is_none_or(|best| contact.residual < best.residual) {
                best = Some(contact);
            }
            if contact.residual <= MEETS {
                break;
            }
        }
        if settled {
            // Every active branch is evaluated again close to the solution, where its model is
            // exact.
            let active = found.weights.map(|(i, weight)| (weight, branches[i].at(next).z));
            branches.clear();
            for (_, z) in active.into_iter().filter(|(weight, _)| *weight != 0.0) {
                let uphill = (z - z.dot(next) * next).normalize_or_zero();
                branches.push(Branch::new(difference, (next + TILT * uphill).normalize()));
            }
        }
        keep(&mut branches, Branch::new(difference, next), &mut centre);
    }
    best
}

/// Adds a branch, makes it the centre if it is lower, and drops the branches farthest from the
/// centre.
fn keep(branches: &mut Vec<Branch>, branch: Branch, centre: &mut Branch) {
    branches.push(branch);
    if branch.height() < centre.height() {
        *centre = branch;
    }
    let n = centre.direction;
    branches.sort_by(|p, q| p.direction.distance_squared(n).total_cmp(&q.direction.distance_squared(n)));
    branches.truncate(BRANCHES);
}

/// Returns the contact at the weighted mean of the active branches.
fn mean(difference: &Difference, n: DVec3, branches: &[Branch], found: &Stationary) -> Contact {
    let points = found.weights.map(|(i, _)| branches[i].at(n));
    Contact::of_mean(difference, n, Vertex::mix(points, found.weights.map(|(_, weight)| weight)))
}
