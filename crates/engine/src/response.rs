//! The smooth response: every contact finds its own force. Contacts do not see each other.

use glam::DVec3;
use rayon::prelude::*;

use crate::law::Kinematics;
use crate::world::bodies::Bodies;
use crate::world::{Contact, World};

/// Finds the force of every contact. `moving` says whether a step went before this evaluation.
pub fn respond(world: &mut World, moving: bool) {
    let World { bodies, laws, contacts, time_step, .. } = world;
    let (bodies, laws, dt) = (&*bodies, &*laws, *time_step);
    contacts.par_iter_mut().for_each(|chunk| {
        for contact in chunk {
            let (a, b) = (bodies.tag[contact.a as usize].material, bodies.tag[contact.b as usize].material);
            let law = laws.get(a, b).expect("the laws were checked when the simulation was made");
            let kinematics = kinematics(bodies, contact, dt, moving);
            law.respond(&kinematics, contact);
        }
    });
}

/// The relative motion at a contact.
#[inline]
pub fn kinematics(bodies: &Bodies, c: &Contact, dt: f64, moving: bool) -> Kinematics {
    let (a, b) = (c.a as usize, c.b as usize);
    let (twist_a, twist_b) = (&bodies.twist[a], &bodies.twist[b]);
    let arm_b = c.arm - (bodies.place[b].centre - bodies.place[a].centre);
    let velocity_a = twist_a.velocity + twist_a.spin.cross(c.arm);
    let velocity_b = twist_b.velocity + twist_b.spin.cross(arm_b);
    let relative = velocity_b - velocity_a;
    let along = relative.dot(c.normal);
    Kinematics {
        dt,
        moving,
        inverse_mass: inverse_mass(bodies, a, c.arm, c.normal) + inverse_mass(bodies, b, arm_b, c.normal),
        inverse_inertia: inverse_rolling(bodies, a, c.arm) + inverse_rolling(bodies, b, arm_b),
        approach: -along,
        slip: relative - along * c.normal,
        turn: twist_b.spin - twist_a.spin,
    }
}

/// Inverse of the mass that an impulse along `normal` at `arm` feels: `1/m + (r x n) I⁻¹ (r x n)`.
#[inline]
fn inverse_mass(bodies: &Bodies, body: usize, arm: DVec3, normal: DVec3) -> f64 {
    let inertia = &bodies.inertia[body];
    if bodies.tag[body].is_ball {
        return inertia.inverse_mass;
    }
    let lever = bodies.orientation[body].conjugate() * arm.cross(normal);
    inertia.inverse_mass + (lever * lever).dot(inertia.inverse_moments)
}

/// Inverse of the moment of inertia about the contact point, `1/(I + m r²)`, with the mean principal moment.
#[inline]
fn inverse_rolling(bodies: &Bodies, body: usize, arm: DVec3) -> f64 {
    let inertia = &bodies.inertia[body];
    let inverse_moment = inertia.inverse_moments.element_sum() / 3.0;
    // 1/(I + m r²) = (1/I)(1/m) / (1/m + r²/I); zero for a body that cannot be moved.
    let denominator = inertia.inverse_mass + arm.length_squared() * inverse_moment;
    if denominator > 0.0 { inverse_moment * inertia.inverse_mass / denominator } else { 0.0 }
}
