//! A new shape is one file and one line, and so is a new pair routine. Both come from outside
//! granum here: the shape is `double_cone.rs` and [`register_shape`], the routine is
//! `double_cone_on_plane.rs` and [`table`].

mod double_cone;
mod double_cone_on_plane;

use double_cone::DoubleCone;
use granum::glam::{DQuat, DVec2, DVec3};
use granum::law::{ContactLaw, Rolling};
use granum::shape::{self, *};
use granum::{
    BodyId, BodySpec, Convex, InvalidShape, Kind, Manifold, MassProperties, Material, MaterialId, Measure, Pair,
    PairTable, Pose, Realm, Shape, Simulation, TriangleMesh, World, collide,
};

/// The one line that adds the shape.
fn register_shape() {
    UserDefined::register::<DoubleCone>();
}

/// The one line that adds the pair routine.
fn table() -> PairTable {
    let mut table = PairTable::new();
    table.register(
        Measure::Depth,
        Kind::HalfSpace,
        Kind::UserDefined,
        "double_cone_on_plane",
        double_cone_on_plane::collide,
    );
    table
}

const CONE: DoubleCone = DoubleCone { radius: 0.005, half_height: 0.008 };

/// Deterministic unit vectors that cover the sphere (a Fibonacci spiral).
fn directions(count: usize) -> impl Iterator<Item = DVec3> {
    let golden_angle = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    (0..count).map(move |k| {
        let (z, angle) = (1.0 - (2 * k + 1) as f64 / count as f64, golden_angle * k as f64);
        ((1.0 - z * z).sqrt() * DVec2::from_angle(angle)).extend(z)
    })
}

#[test]
fn mass_inertia_and_bounds_are_those_of_a_double_cone() {
    /// Relative error of the quadrature: the radius has a kink at the rim.
    const QUADRATURE: f64 = 1e-3;
    let shape = Shape::from(CONE);
    let exact = shape.as_convex().mass_properties();
    let numerical = MassProperties::by_quadrature(&CONE, 128);
    assert!((numerical.volume / exact.volume - 1.0).abs() < QUADRATURE, "{} {}", numerical.volume, exact.volume);
    let [found, expected] = [numerical, exact].map(|mass| mass.principal_moments().expect("principal axes"));
    assert!((found / expected - 1.0).abs().max_element() < QUADRATURE, "{found} {expected}");
    let farthest = directions(2000).map(|n| shape.as_convex().support(n).length()).fold(0.0, f64::max);
    assert_eq!(farthest, shape.as_convex().bounding_radius());
    assert!(!shape.as_convex().surface(2, 1.0).triangles.is_empty());
}

/// A square of two triangles below the origin.
fn ground() -> TriangleMesh {
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, y)| DVec3::new(x, y, 0.0));
    TriangleMesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).expect("a square")
}

/// One shape of every built-in kind in space.
fn built_in_shapes() -> Vec<Shape> {
    let rock = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE].map(|vertex| 0.01 * vertex);
    vec![
        HalfSpace::new(DVec3::new(0.2, 0.3, 0.9)).into(),
        InsideSphere { radius: 0.03 }.into(),
        InsideEllipsoid { semi_axes: DVec3::new(0.03, 0.04, 0.05) }.into(),
        InsideCylinder { radius: 0.03, half_height: 0.04 }.into(),
        Surface::new(ground(), true).expect("a surface").into(),
        Sphere { radius: 0.006 }.into(),
        Ellipsoid { semi_axes: DVec3::new(0.004, 0.006, 0.009) }.into(),
        Superellipsoid { semi_axes: DVec3::new(0.004, 0.006, 0.009), eps: [0.7, 1.2] }.into(),
        Cylinder { radius: 0.006, half_height: 0.004 }.into(),
        Capsule { radius: 0.004, half_height: 0.005 }.into(),
        TruncatedCone { radii: [0.006, 0.003], half_height: 0.005 }.into(),
        shape::Box { half_sizes: DVec3::new(0.004, 0.006, 0.008) }.into(),
        Polyhedron::new(rock.to_vec()).expect("a polyhedron").into(),
    ]
}

#[test]
fn it_collides_with_every_built_in_shape_and_with_itself() {
    let shapes = built_in_shapes();
    let in_space = |kind: &Kind| *kind <= Kind::Polyhedron;
    assert!(Kind::BUILT_IN.iter().filter(|kind| in_space(kind)).all(|&kind| shapes.iter().any(|s| s.kind() == kind)));
    let cone = Shape::from(CONE);
    let mut manifold = Manifold::default();
    for other in shapes.iter().chain([&cone]) {
        let is_wall = !other.as_convex().bounding_radius().is_finite();
        for (number, direction) in directions(25).enumerate() {
            let orientation = DQuat::from_axis_angle(direction.any_orthonormal_vector(), 0.37 * number as f64);
            // Some pairs are separated and some overlap.
            let distance = if is_wall { 0.018 } else { 0.006 + 0.0004 * number as f64 };
            let pose = Pose { position: distance * direction, orientation };
            let pair = Pair::new(other, &Pose::IDENTITY, &cone, &pose);
            collide(Measure::Depth, &pair, &mut manifold);
            let point = *manifold.deepest().unwrap_or_else(|| panic!("no gap to {other:?}"));
            let what = format!("{:?} {number}: {point:?}", other.kind());
            assert!((point.normal.length() - 1.0).abs() < 1e-12, "{what}");
            if is_wall {
                // A body that is moved by its gap along the normal touches the wall.
                let touching = Pose { position: pose.position - point.gap * point.normal, orientation };
                collide(Measure::Depth, &Pair::new(other, &Pose::IDENTITY, &cone, &touching), &mut manifold);
                let gap = manifold.deepest().expect("a gap").gap;
                assert!(gap.abs() < 1e-3 * point.gap.abs() + 1e-9, "{what}: {gap}");
            } else {
                // The gap is the largest distance along any direction.
                assert!((pair.distance_along(point.normal) - point.gap).abs() < 1e-10, "{what}");
                let largest = directions(2000).map(|n| pair.distance_along(n)).fold(f64::NEG_INFINITY, f64::max);
                assert!(largest <= point.gap + 1e-10, "{what}: {largest}");
            }
            collide(Measure::Depth, &pair.swapped(), &mut manifold);
            let swapped = manifold.deepest().expect("a gap").swapped(-pair.offset);
            assert!((swapped.gap - point.gap).abs() < 1e-9, "{what}: {swapped:?}");
        }
    }
}

/// A world with gravity and one material.
fn world() -> (World, MaterialId) {
    let mut world = World::new();
    world.set_gravity(-9.81 * DVec3::Z).unwrap();
    world.set_time_step(2e-5).unwrap();
    let resin = world.add_material(Material::new("resin", 1200.0)).unwrap();
    let rolling = Rolling::Spring { friction: 0.1, spinning: 0.1, zeta: 0.5 };
    let law = ContactLaw { rolling, ..ContactLaw::linear(2e3, 0.3, 0.5).unwrap() };
    world.set_law(resin, resin, law).unwrap();
    (world, resin)
}

/// Double cones among grains of other shapes, above the floor of a box that is 40 mm wide.
fn pile() -> World {
    let (mut world, resin) = world();
    for inward in [DVec3::Z, DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y] {
        let wall = world.add_shape(HalfSpace::new(inward)).unwrap();
        world.add_body(BodySpec::fixed(wall, resin, -0.02 * inward.with_z(0.0))).unwrap();
    }
    let sphere = world.add_shape(Sphere { radius: 0.004 }).unwrap();
    let cone = world.add_shape(DoubleCone { radius: 0.004, half_height: 0.006 }).unwrap();
    for k in 0..12_u32 {
        let column = DVec3::new(f64::from(k % 2), f64::from(k / 2 % 2), f64::from(k / 4)) - DVec3::new(0.5, 0.5, -0.7);
        let mut grain = BodySpec::at(if k % 3 == 0 { sphere } else { cone }, resin, 0.013 * column);
        grain.pose.orientation = DQuat::from_rotation_x(0.7 * f64::from(k));
        world.add_body(grain).unwrap();
    }
    world
}

#[test]
fn a_pile_of_double_cones_comes_to_rest_with_a_closed_ledger() {
    let mut simulation = Simulation::new(pile(), 1).unwrap();
    let start = simulation.energy();
    simulation.run(20_000); // 0.4 s
    let energy = simulation.energy();
    let kinetic = energy.kinetic_translational + energy.kinetic_rotational;
    assert!(kinetic < 1e-3 * energy.dissipated(), "{kinetic:e} of {:e}", energy.dissipated());
    let residual = energy.residual(&start).abs() / energy.dissipated();
    assert!(residual < 1e-2, "{residual:e}");
    assert!(simulation.world().grains().all(|grain| grain.position.z > 0.0));
}

#[test]
fn a_saved_world_contains_the_shape_by_name_and_sizes() {
    register_shape();
    let world = pile();
    let bytes = postcard::to_allocvec(&world).unwrap();
    let read: World = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(read.shapes(), world.shapes());
    let [run, resumed] = [world, read].map(|world| {
        let mut simulation = Simulation::new(world, 1).unwrap();
        simulation.run(500);
        simulation.snapshot().bodies
    });
    assert_eq!(run, resumed);
}

/// A shape that is not registered.
struct Stranger;

impl Convex for Stranger {
    fn support(&self, direction: DVec3) -> DVec3 {
        direction.normalize()
    }

    fn inside_outside(&self, point: DVec3) -> f64 {
        point.length() - 1.0
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        Ok(())
    }

    fn realm(&self) -> Realm {
        Realm::Both
    }
}

impl UserShape for Stranger {
    const NAME: &'static str = "stranger";

    fn sizes(&self) -> Vec<f64> {
        Vec::new()
    }

    fn from_sizes(_: &[f64]) -> Option<Self> {
        Some(Self)
    }
}

#[test]
fn impossible_and_unknown_shapes_are_refused() {
    let mut world = World::new();
    let error = world.add_shape(DoubleCone { radius: -1.0, half_height: 1.0 }).unwrap_err();
    assert!(error.to_string().contains("`radius` must be a positive length"), "{error}");
    let error = world.add_shape(Stranger).unwrap_err();
    assert!(error.to_string().contains("must be a bounded body in space"), "{error}");
    let bytes = postcard::to_allocvec(&Shape::from(Stranger)).unwrap();
    assert!(postcard::from_bytes::<Shape>(&bytes).is_err(), "it is not registered");
}

#[test]
fn the_pair_routine_of_the_user_is_used_for_both_orders() {
    let (table, standard) = (table(), PairTable::standard());
    let (plane, cone) = (Shape::from(HalfSpace::new(DVec3::Z)), Shape::from(CONE));
    for [a, b] in [[Kind::HalfSpace, Kind::UserDefined], [Kind::UserDefined, Kind::HalfSpace]] {
        assert_eq!(table.routine(Measure::Depth, a, b).name(), "double_cone_on_plane");
        assert_ne!(standard.routine(Measure::Depth, a, b).name(), "double_cone_on_plane");
    }
    let [mut own, mut other] = [Manifold::default(), Manifold::default()];
    for (number, axis) in directions(200).enumerate() {
        let orientation = DQuat::from_axis_angle(axis, 0.1 * number as f64);
        let pose = Pose { position: DVec3::new(0.1, 0.2, 0.004), orientation };
        let pair = Pair::new(&plane, &Pose::IDENTITY, &cone, &pose);
        table.collide(Measure::Depth, &pair, &mut own);
        standard.collide(Measure::Depth, &pair, &mut other);
        let [p, q] = [&own, &other].map(|manifold| *manifold.deepest().expect("a gap"));
        assert!((p.gap - q.gap).abs() < 1e-12 && (p.on_b() - q.on_b()).length() < 1e-9, "{p:?} {q:?}");
    }
}

/// Drops a double cone on its side and returns its body and the simulation after 0.4 s.
fn dropped_on_its_side(table: PairTable) -> (BodyId, Simulation) {
    let (mut world, resin) = world();
    let floor = world.add_shape(HalfSpace::new(DVec3::Z)).unwrap();
    world.add_body(BodySpec::fixed(floor, resin, DVec3::ZERO)).unwrap();
    let shape = world.add_shape(CONE).unwrap();
    let mut spec = BodySpec::at(shape, resin, DVec3::new(0.0, 0.0, 0.009));
    spec.pose.orientation = DQuat::from_rotation_y(1.2);
    let cone = world.add_body(spec).unwrap();
    let mut simulation = Simulation::with_table(world, 1, table).unwrap();
    simulation.run(20_000);
    (cone, simulation)
}

#[test]
fn by_the_pair_routine_of_the_user_a_double_cone_rests_on_a_generator() {
    let (cone, simulation) = dropped_on_its_side(table());
    let contacts = simulation.snapshot().contacts;
    assert_eq!(contacts.len(), 2, "{contacts:?}");
    let (r, h) = (CONE.radius, CONE.half_height);
    let height = simulation.world().position(cone).z;
    assert!((height - r * h / r.hypot(h)).abs() < 1e-5, "{height}");
    let weight = 9.81 * simulation.world().mass(cone);
    let load: f64 = contacts.iter().map(|contact| contact.force.z).sum();
    assert!((load / weight - 1.0).abs() < 1e-2, "{load} of {weight}");
    // The cone began at rest, 9 mm above the floor.
    let (start, energy) = (weight * 0.009, simulation.energy());
    let residual = (energy.total() + energy.dissipated() - start).abs() / energy.dissipated();
    assert!(residual < 1e-2, "{residual:e}");
}
