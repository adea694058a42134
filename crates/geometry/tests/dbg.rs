mod support;
use glam::*;
use support::bodies::Body;
use support::certificate::Case;
#[test]
fn dbg() {
    let q = DQuat::from_xyzw(0.1, 0.2, 0.3, 0.9).normalize();
    let case = Case { a: Body::Ball(1.0), b: Body::Capsule(1.0, 0.3), offset: DVec3::new(0.2, 0.3, 0.1), orientation_a: q, orientation_b: DQuat::from_xyzw(0.5, 0.2, 0.3, 0.3).normalize() };
    eprintln!("{:?}", case.solve());
    eprintln!("=====box");
    let o = DQuat::from_xyzw(-0.0749717422004622, -0.6962939874143267, -0.6544612820150126, 0.2850164053266954);
    let case = Case { a: Body::Cuboid(DVec3::new(0.6428759422541015, 0.026095361497476075, 0.6334927441133481)), b: Body::Cuboid(DVec3::new(0.3280598951141203, 0.9157091445148681, 0.2728568621754972)), offset: DVec3::new(-0.037237389764197056, -0.06659764760590596, -0.002756986316874234), orientation_a: o, orientation_b:o};
    eprintln!("{:?}", case.solve());
}
