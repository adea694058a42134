//! Triangulation of points in the plane.

use delaunator::Point;

/// Returns the Delaunay triangulation of points \[x, y\], with all triangles anticlockwise. It is
/// empty if the points lie on one line. Of points that are equal up to rounding one is used.
pub fn triangles(points: &[[f64; 2]]) -> Vec<[u32; 3]> {
    let plane: Vec<Point> = points.iter().map(|&[x, y]| Point { x, y }).collect();
    // The crate lists triangles clockwise.
    let found = delaunator::triangulate(&plane).triangles;
    found.as_chunks::<3>().0.iter().map(|&[a, b, c]| [a as u32, c as u32, b as u32]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn area(points: &[[f64; 2]], [a, b, c]: [u32; 3]) -> f64 {
        let [a, b, c] = [a, b, c].map(|k| points[k as usize]);
        0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
    }

    #[test]
    fn a_square_is_covered_once_by_anticlockwise_triangles() {
        let mut random = Random::new(1);
        let mut points = vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        points.extend((0..5000).map(|_| [random.unit(), random.unit()]));
        let found = triangles(&points);
        assert_eq!(found.len(), 2 * 5000 + 2);
        assert!(found.iter().all(|&triangle| area(&points, triangle) > 0.0));
        assert!((found.iter().map(|&triangle| area(&points, triangle)).sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_regular_grid_is_covered_although_four_points_lie_on_each_circle() {
        let points: Vec<[f64; 2]> = (0..400).map(|k| [f64::from(k % 20) * 0.1, f64::from(k / 20) * 0.1]).collect();
        let found = triangles(&points);
        let sum: f64 = found.iter().map(|&triangle| area(&points, triangle)).sum();
        assert!(found.len() == 722 && (sum - 3.61).abs() < 1e-12, "{} triangles, {sum}", found.len());
    }

    #[test]
    fn points_on_a_line_and_repeated_points_make_no_triangle() {
        let line: Vec<[f64; 2]> = (0..9).map(|k| [f64::from(k), 2.0 * f64::from(k)]).collect();
        assert!(triangles(&line).is_empty());
        assert!(triangles(&[[1.0, 1.0]; 5]).is_empty());
        assert!(triangles(&[]).is_empty());
        assert_eq!(triangles(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]).len(), 1);
    }
}
