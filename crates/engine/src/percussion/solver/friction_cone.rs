//! A contact of the primal-dual method: its percussion inside its cone, residuals, and step.
//!
//! Mobilities give percussions the unit of velocities, so that the products of all pairs compare.

use glam::{DVec2, DVec3};

use super::proximal_response::{ContactResponse, Symmetric3};

/// Compliance of the matrix beside the percussion, as a fraction of the mobility of the contact. It
/// bounds the matrix where percussions are redundant; the solution does not contain it.
const COMPLIANCE: f64 = 1e-7;
/// Bound of friction times its mobility, relative to the distance of the start from the boundary,
/// below which a contact has no friction: the percussion would be rounding.
const MIN_BOUND: f64 = 1e-9;
/// Slack of friction, relative to its bound, below which the multiplier follows from the velocity:
/// the slack has too few digits.
const MIN_SLACK: f64 = 1e-7;
/// Factor by which that may decrease the multiplier.
const MIN_DECREASE: f64 = 1e-3;
/// Bisections for the start of friction.
const BISECTIONS: u32 = 30;

/// Where a contact starts.
#[derive(Clone, Copy)]
pub struct Start {
    /// Velocity and percussion, contact axes.
    pub velocity: DVec3,
    pub percussion: DVec3,
    /// Root of the product of each pair, m/s.
    pub inside: f64,
}

/// A slack, m/s or N s, and its multiplier, with their steps.
#[derive(Clone, Copy, Default)]
struct Pair {
    slack: f64,
    multiplier: f64,
    slack_step: f64,
    multiplier_step: f64,
    /// Residual of the equation of the slack, and right-hand side of the equation of the product.
    residual: f64,
    product_step: f64,
}

impl Pair {
    fn new(slack: f64, multiplier: f64) -> Self {
        Self { slack, multiplier, ..Self::default() }
    }

    fn product(&self, length: f64) -> f64 {
        (self.slack + length * self.slack_step) * (self.multiplier + length * self.multiplier_step)
    }

    /// Returns the length of the step at which one of the two is zero.
    fn longest_step(&self) -> f64 {
        let of = |value: f64, step: f64| if step < 0.0 { -value / step } else { f64::INFINITY };
        of(self.slack, self.slack_step).min(of(self.multiplier, self.multiplier_step))
    }

    fn advance(&mut self, length: f64) {
        self.slack += length * self.slack_step;
        self.multiplier += length * self.multiplier_step;
    }

    /// Aims at a product, beside the product of the steps of the predictor.
    fn correct(&mut self, target: f64, predicted: f64) {
        self.product_step = target - self.slack * self.multiplier - predicted;
    }
}

/// A contact inside its cone.
#[derive(Clone, Copy, Default)]
pub struct Cone {
    w_nn: f64,
    w_tt: f64,
    min_velocity: f64,
    /// Normal velocity above its least value, m/s, and normal percussion, N s.
    normal: Pair,
    /// Bound of friction, N s; zero without friction.
    bound: f64,
    /// Friction, N s, with its step; slack, N s, and multiplier, m/s, of its bound.
    friction: DVec2,
    friction_step: DVec2,
    sliding: Pair,
    friction_residual: DVec2,
    /// Coefficients of an iteration: 1/(s + compliance), and stiffness of friction across and along
    /// the percussion.
    normal_share: f64,
    across: f64,
    along: f64,
}

impl Cone {
    /// Moves a contact into its cone.
    pub fn new(response: &ContactResponse, Start { velocity, percussion, inside }: Start) -> Self {
        let ContactResponse { w_nn, w_tt, .. } = *response;
        let min_velocity = response.normal_potential.min_velocity;
        let (slack, multiplier) = centred(velocity.x - min_velocity, w_nn * percussion.x, inside);
        let normal = Pair::new(slack, multiplier / w_nn);
        let mut cone = Self { w_nn, w_tt, min_velocity, normal, ..Self::default() };
        let bound = response.friction_bound(normal.multiplier);
        if bound * w_tt > MIN_BOUND * inside {
            cone.bound = bound;
            cone.start_friction(tangential(percussion), tangential(velocity), inside);
        }
        cone
    }

    /// Chooses the friction whose multiplier has the given product with its slack and that agrees with
    /// a projected gradient step.
    fn start_friction(&mut self, percussion: DVec2, velocity: DVec2, inside: f64) {
        let aim = percussion - velocity / self.w_tt;
        let (length, relative) = (aim.length() / self.bound, inside / (self.w_tt * self.bound));
        // The root f of f (1 + 2 d²/(1 - f²)) = |aim|/c.
        let (mut low, mut high) = (0.0, length.min(1.0));
        for _ in 0..BISECTIONS {
            let f = 0.5 * (low + high);
            if f * (1.0 + 2.0 * relative * relative / (1.0 - f * f)) > length { high = f } else { low = f }
        }
        self.friction = if length > 0.0 { aim * (low / length) } else { DVec2::ZERO };
        let slack = 0.5 * self.bound * (1.0 - low * low);
        self.sliding = Pair::new(slack, inside * inside / (self.w_tt * slack));
    }

    /// Returns the number of pairs of slack and multiplier.
    pub fn pairs(&self) -> f64 {
        if self.bound > 0.0 { 2.0 } else { 1.0 }
    }

    /// Returns the percussion, contact axes, N s.
    pub fn percussion(&self) -> DVec3 {
        DVec3::new(self.normal.multiplier, self.friction.x, self.friction.y)
    }

    /// Returns the step of the percussion, contact axes, N s.
    pub fn percussion_step(&self) -> DVec3 {
        DVec3::new(self.normal.multiplier_step, self.friction_step.x, self.friction_step.y)
    }

    /// Returns the percussion with the smaller of slack and normal percussion set to zero.
    pub fn percussion_on_boundary(&self) -> DVec3 {
        let p = self.percussion();
        if self.is_open() { DVec3::new(0.0, p.y, p.z) } else { p }
    }

    /// Returns the bound of friction, N s.
    pub fn bound(&self) -> f64 {
        self.bound
    }

    /// Returns whether the contact separates.
    fn is_open(&self) -> bool {
        self.w_nn * self.normal.multiplier < self.normal.slack
    }

    /// Returns the sum of the products of the pairs at a length of the step, m²/s².
    pub fn product(&self, length: f64) -> f64 {
        let sliding = if self.bound > 0.0 { self.w_tt * self.sliding.product(length) } else { 0.0 };
        self.w_nn * self.normal.product(length) + sliding
    }

    /// Computes the residuals at a velocity. Returns the largest, m/s.
    pub fn update_residuals(&mut self, velocity: DVec3) -> f64 {
        let normal = &mut self.normal;
        normal.residual = velocity.x - self.min_velocity - normal.slack;
        normal.product_step = -normal.slack * normal.multiplier;
        // The percussion is optimal if it is the response to its own velocity.
        let optimal = (normal.multiplier - (velocity.x - self.min_velocity) / self.w_nn).max(0.0);
        let largest = self.w_nn * (optimal - normal.multiplier).abs();
        if self.bound == 0.0 {
            return largest;
        }
        let (v, p, bound) = (tangential(velocity), self.friction, self.bound);
        let sliding = &mut self.sliding;
        if sliding.slack < MIN_SLACK * bound {
            let from_velocity = -v.dot(p) * bound / p.length_squared();
            sliding.multiplier = from_velocity.max(MIN_DECREASE * sliding.multiplier);
        }
        self.friction_residual = v + sliding.multiplier / bound * p;
        let length = p.length();
        sliding.residual = 0.5 * (bound - length) * (1.0 + length / bound) - sliding.slack;
        sliding.product_step = -sliding.slack * sliding.multiplier;
        let optimal = (p - v / self.w_tt).clamp_length_max(bound);
        largest.max(self.w_tt * (optimal - p).length())
    }

    /// Computes the coefficients of an iteration. Returns the weight of the contact in the matrix
    /// beside the unit matrix.
    pub fn prepare(&mut self) -> f64 {
        let Pair { slack, multiplier, .. } = self.normal;
        self.normal_share = 1.0 / (slack + multiplier * COMPLIANCE * self.w_nn);
        let weight = self.w_nn * multiplier * self.normal_share;
        if self.bound == 0.0 {
            return weight;
        }
        let (turn, compliance) = (self.sliding.multiplier / self.bound, COMPLIANCE * self.w_tt);
        let stretch = 1.0 + self.friction.length_squared() / (self.bound * self.sliding.slack);
        self.across = 1.0 / (turn + compliance);
        self.along = 1.0 / (turn * stretch + compliance);
        weight + self.w_tt * self.across
    }

    /// Returns the matrix H of the contact, kg.
    pub fn stiffness(&self) -> Symmetric3 {
        let xx = self.normal.multiplier * self.normal_share;
        if self.bound == 0.0 {
            return [xx, 0.0, 0.0, 0.0, 0.0, 0.0];
        }
        let (p, d) = (self.friction, self.anisotropy());
        [xx, self.across + d * p.x * p.x, self.across + d * p.y * p.y, 0.0, 0.0, d * p.x * p.y]
    }

    /// Returns the difference of the stiffness along and across the percussion over its square.
    fn anisotropy(&self) -> f64 {
        let square = self.friction.length_squared();
        if square > 0.0 { (self.along - self.across) / square } else { 0.0 }
    }

    /// Sets the step of all unknowns of the contact for a change of its velocity.
    #[inline]
    pub fn set_step(&mut self, change: DVec3) {
        let normal = &mut self.normal;
        normal.multiplier_step =
            (normal.product_step - normal.multiplier * (normal.residual + change.x)) * self.normal_share;
        normal.slack_step = change.x + normal.residual + COMPLIANCE * self.w_nn * normal.multiplier_step;
        if self.bound == 0.0 {
            return;
        }
        let d = self.anisotropy();
        let (p, sliding) = (self.friction, &mut self.sliding);
        let product = sliding.product_step - sliding.multiplier * sliding.residual;
        let right = tangential(change) + self.friction_residual + p * (product / (self.bound * sliding.slack));
        self.friction_step = -(self.across * right + d * p.dot(right) * p);
        sliding.slack_step = sliding.residual - p.dot(self.friction_step) / self.bound;
        sliding.multiplier_step = (sliding.product_step - sliding.multiplier * sliding.slack_step) / sliding.slack;
    }

    /// Adds what the predictor has left out, and aims at the mean product `target`, m²/s².
    pub fn correct(&mut self, target: f64) {
        let Pair { slack_step, multiplier_step, .. } = self.normal;
        self.normal.correct(target / self.w_nn, slack_step * multiplier_step);
        if self.bound == 0.0 {
            return;
        }
        let step = self.friction_step;
        let square = step.length_squared();
        // A step beyond the bound would make its square dominate.
        let part = (self.bound * self.bound / square).min(1.0);
        let Pair { slack_step, multiplier_step, .. } = self.sliding;
        self.sliding.correct(target / self.w_tt, part * slack_step * multiplier_step);
        self.sliding.residual -= part * square / (2.0 * self.bound);
        self.friction_residual += part * multiplier_step / self.bound * step;
    }

    /// Returns the length of the step, relative to it, at which the contact leaves its cone.
    pub fn longest_step(&self) -> f64 {
        let sliding = if self.bound > 0.0 { self.sliding.longest_step() } else { f64::INFINITY };
        self.normal.longest_step().min(sliding)
    }

    /// Makes a step.
    pub fn advance(&mut self, length: f64) {
        self.normal.advance(length);
        self.sliding.advance(length);
        self.friction += length * self.friction_step;
    }

    /// Sets the bound of friction, with which friction and slack are scaled.
    pub fn set_bound(&mut self, bound: f64) {
        if self.bound > 0.0 && bound > 0.0 {
            let ratio = bound / self.bound;
            self.bound = bound;
            self.friction *= ratio;
            self.sliding.slack *= ratio;
        }
    }
}

/// Returns the pair of positive numbers with the product `d²` and the same difference.
fn centred(slack: f64, multiplier: f64, d: f64) -> (f64, f64) {
    let difference = slack - multiplier;
    let root = (difference * difference + 4.0 * d * d).sqrt();
    // The larger one is computed without cancellation.
    if difference > 0.0 {
        let slack = 0.5 * (difference + root);
        (slack, d * d / slack)
    } else {
        let multiplier = 0.5 * (root - difference);
        (d * d / multiplier, multiplier)
    }
}

/// Returns the tangential part of a vector in contact axes.
fn tangential(v: DVec3) -> DVec2 {
    DVec2::new(v.y, v.z)
}
