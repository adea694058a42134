mod support;
use glam::*;
use support::bodies::Body;
use support::certificate::Case;
#[test]
fn dbg() {
    let q = |x, y, z, w| DQuat::from_xyzw(x, y, z, w).normalize();
    let case = Case { a: Body::Ball(0.0073419465768252675), b: Body::Capsule(0.0073419465768252675, 0.0013255533707533715), offset: DVec3::new(-2.3313204374839613e-13, 5.782946382895191e-14, -8.700870407632135e-13), orientation_a: q(0.39963731827625376, -0.6036003368629368, -0.38750624346165297, -0.5707850369956728), orientation_b: q(-0.687411612695632, -0.4012120402333243, 0.5517935177977935, -0.24903430932170753) };
    eprintln!("{:?}", case.solve());
    eprintln!("=====box");
    let case = Case { a: Body::Ball(0.00013078902361890875), b: Body::Cuboid(DVec3::new(5.437174897422331e-6, 0.00013078902361890875, 6.301241920527635e-5)), offset: DVec3::ZERO, orientation_a: q(-0.6661681872464321, -0.07688812816755443, 0.40626838008721805, -0.6206884608150857), orientation_b: q(0.7738865688093859, -0.5112565619969093, 0.35773185878075014, 0.10837076932829091) };
    eprintln!("{:?}", case.solve());
}
