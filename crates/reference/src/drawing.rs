//! A drawing of a planar contact as SVG: the two curves, the points of the method `potential`, the
//! osculating circles and normals of `curvature`, and the exact contact [Martinez2003, figures 4.1 to
//! 4.14].

use std::fmt::Write;

use glam::DVec2;

use crate::methods::{Curvature, Oval, Search, curvature};
use crate::query::{Body, Choice, Query, QueryError, Vector, answer};

/// Width of a drawing, pixels.
const WIDTH: f64 = 640.0;

/// Free space around the bodies, relative to the larger side of their bounding box.
const MARGIN: f64 = 0.08;

/// Height of the three lines of text above the bodies, pixels.
const LABELS: f64 = 52.0;

/// Number of points of a curve.
const POINTS: usize = 360;

/// Length of a normal, relative to the larger side.
const NORMAL: f64 = 0.08;

/// Radius of an osculating circle up to which it is drawn, relative to the larger side. A larger one
/// is nearly a line.
const LARGEST_CIRCLE: f64 = 4.0;

/// Colours of a, of b, and of the exact contact.
const COLOURS: [&str; 3] = ["#1f77b4", "#d95f02", "#c00000"];

/// A curve placed in the plane.
struct Placed {
    oval: Oval,
    centre: DVec2,
    angle: f64,
}

impl Placed {
    fn of(body: &Body) -> Option<Self> {
        let turn = body.pose.orientation;
        let angle = 2.0 * libm::atan2(turn.z, turn.w);
        Some(Self { oval: Oval::of(&body.shape)?, centre: body.pose.position.truncate(), angle })
    }

    fn world(&self, v: DVec2) -> DVec2 {
        DVec2::from_angle(self.angle).rotate(v)
    }

    fn point(&self, theta: f64) -> DVec2 {
        self.centre + self.world(self.oval.point(theta))
    }

    fn curve(&self) -> impl Iterator<Item = DVec2> + '_ {
        (0..POINTS).map(|k| self.point(std::f64::consts::TAU * k as f64 / POINTS as f64))
    }
}

/// The drawing while it is made: world coordinates to pixels, with y upwards.
struct Canvas {
    text: String,
    low: DVec2,
    high: DVec2,
    scale: f64,
}

impl Canvas {
    fn pixel(&self, p: DVec2) -> DVec2 {
        DVec2::new(p.x - self.low.x, self.high.y - p.y) * self.scale
    }

    fn path(&mut self, points: impl Iterator<Item = DVec2>, colour: &str) {
        let mut data = String::new();
        for (k, point) in points.enumerate() {
            let p = self.pixel(point);
            let _ = write!(data, "{}{:.2} {:.2}", if k == 0 { "M" } else { "L" }, p.x, p.y);
        }
        let _ = writeln!(
            self.text,
            "<path d=\"{data}Z\" fill=\"{colour}\" fill-opacity=\"0.12\" stroke=\"{colour}\" stroke-width=\"1.6\"/>"
        );
    }

    fn line(&mut self, from: DVec2, to: DVec2, colour: &str, style: &str) {
        let (p, q) = (self.pixel(from), self.pixel(to));
        let _ = writeln!(
            self.text,
            "<line x1=\"{:.2}\" y1=\"{:.2}\" x2=\"{:.2}\" y2=\"{:.2}\" stroke=\"{colour}\" {style}/>",
            p.x, p.y, q.x, q.y
        );
    }

    fn circle(&mut self, centre: DVec2, radius: f64, style: &str) {
        let p = self.pixel(centre);
        let _ = writeln!(
            self.text,
            "<circle cx=\"{:.2}\" cy=\"{:.2}\" r=\"{:.2}\" {style}/>",
            p.x,
            p.y,
            radius * self.scale
        );
    }

    fn dot(&mut self, at: DVec2, colour: &str) {
        let radius = 3.5 / self.scale;
        self.circle(at, radius, &format!("fill=\"{colour}\""));
    }

    fn label(&mut self, row: usize, text: &str, colour: &str) {
        let y = 16 + 16 * row;
        let _ = writeln!(self.text, "<text x=\"8\" y=\"{y}\" fill=\"{colour}\">{text}</text>");
    }
}

/// Returns the drawing of a query for two discs, ellipses or superellipses. A query with a method
/// `-as-printed` shows the points of that method.
pub fn drawing(query: &Query) -> Result<String, QueryError> {
    let fault = || QueryError::NoContact("cannot be drawn: a drawing shows discs, ellipses and superellipses".into());
    let bodies = [Placed::of(&query.a).ok_or_else(fault)?, Placed::of(&query.b).ok_or_else(fault)?];
    let search = match query.method {
        Choice::Named(method) if method.name.ends_with("-as-printed") => match query.tolerance {
            Some(tolerance) => Search::AsPrinted { tolerance },
            None => Search::PRINTED,
        },
        _ => Search::Global,
    };
    let found = curvature(&query.pair(), search).ok_or_else(fault)?;
    let exact = answer(&Query { method: Choice::Auto, tolerance: None, ..query.clone() })?;

    let corners = bodies.iter().flat_map(Placed::curve);
    let (mut low, mut high) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
    for corner in corners {
        (low, high) = (low.min(corner), high.max(corner));
    }
    let side = (high - low).max_element();
    (low, high) = (low - DVec2::splat(MARGIN * side), high + DVec2::splat(MARGIN * side));
    let scale = WIDTH / (high.x - low.x);
    high.y += LABELS / scale;
    let mut canvas = Canvas { text: String::new(), low, high, scale };
    for (body, colour) in bodies.iter().zip(COLOURS) {
        canvas.path(body.curve(), colour);
        canvas.dot(body.centre, colour);
    }
    draw_curvature(&mut canvas, &bodies, &found, side);
    if let (Some(Vector::Plane(p)), Some(Vector::Plane(q))) = (exact.point_a, exact.point_b) {
        canvas.line(p, q, COLOURS[2], "stroke-width=\"2\"");
        [p, q].into_iter().for_each(|point| canvas.dot(point, COLOURS[2]));
    }
    let degrees = f64::to_degrees;
    let (on_a, on_b) = (found.potential.on_a, found.potential.on_b);
    let labels = [
        format!("point of a: {:.4} deg, f of b there {:.6}", degrees(on_a.at), on_a.value),
        format!("point of b: {:.4} deg, f of a there {:.6}", degrees(on_b.at), on_b.value),
        format!(
            "exact gap {:.6} m; overlap of the osculating circles {:.6} m",
            exact.gap.unwrap_or(f64::NAN),
            found.overlap
        ),
    ];
    for (row, (text, colour)) in labels.iter().zip(COLOURS).enumerate() {
        canvas.label(row, text, colour);
    }
    let height = (high.y - low.y) * scale;
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {WIDTH:.0} \
         {height:.0}\" font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" \
         fill=\"white\"/>\n{}</svg>\n",
        canvas.text
    ))
}

/// Draws the points of `potential` with their normals and osculating circles.
fn draw_curvature(canvas: &mut Canvas, bodies: &[Placed; 2], found: &Curvature, side: f64) {
    let thetas = [found.potential.on_a.at, found.potential.on_b.at];
    for (k, body) in bodies.iter().enumerate() {
        let point = body.point(thetas[k]);
        let normal = body.world(body.oval.normal(thetas[k]));
        let radius = found.radii[k];
        if radius <= LARGEST_CIRCLE * side {
            let style = format!("fill=\"none\" stroke=\"{}\" stroke-dasharray=\"4 3\"", COLOURS[k]);
            canvas.circle(point - radius * normal, radius, &style);
        }
        canvas.line(point, point + NORMAL * side * normal, COLOURS[k], "stroke-width=\"1.6\"");
        canvas.dot(point, COLOURS[k]);
    }
}
