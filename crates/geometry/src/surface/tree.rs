//! A tree of bounding boxes over triangles, or over anything else that has a box.

use glam::{DVec3, Vec3};

use crate::Aabb;

/// Largest number of items in a leaf. Fewer items cost more memory for nodes than they save in
/// tests.
const LEAF: usize = 8;

/// A node: a box, and either two children or a range of items.
#[derive(Clone, Debug)]
struct Node {
    /// Corners of the box, rounded outward: single precision halves the memory to be read.
    min: [f32; 3],
    max: [f32; 3],
    /// Start of the items of a leaf; the second child of another node. The first child follows its
    /// parent.
    start: u32,
    /// Number of items of a leaf; 0 for another node.
    count: u32,
}

impl Node {
    fn bounds(&self) -> Aabb {
        let [min, max] = [self.min, self.max].map(|corner| Vec3::from(corner).as_dvec3());
        Aabb { min, max }
    }
}

/// Returns the nearest number of single precision that is not above `x`.
fn rounded_down(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) > x { nearest.next_down() } else { nearest }
}

/// Returns the nearest number of single precision that is not below `x`.
fn rounded_up(x: f64) -> f32 {
    -rounded_down(-x)
}

/// A tree of bounding boxes. It takes 12 to 20 bytes per item: 4 for its number, and nodes of 32
/// bytes, of which there are two for every 4 to 8 items.
///
/// It depends on the boxes only, and its visits have a fixed order.
#[derive(Clone, Debug)]
pub struct BoxTree {
    nodes: Vec<Node>,
    /// The items, leaf by leaf.
    items: Vec<u32>,
}

impl BoxTree {
    /// Creates the tree of `count` items from their boxes.
    pub fn new(count: usize, bounds: impl Fn(usize) -> Aabb) -> Self {
        let mut tree = Self { nodes: Vec::with_capacity(node_count(count)), items: (0..count as u32).collect() };
        if count > 0 {
            let middles: Vec<DVec3> = (0..count).map(&bounds).map(|of| of.min.midpoint(of.max)).collect();
            let mut items = std::mem::take(&mut tree.items);
            tree.split(&mut items, 0, &middles, &bounds);
            tree.items = items;
        }
        tree
    }

    /// Adds the node of some items and, below it, of both halves of them.
    fn split(&mut self, items: &mut [u32], start: usize, middles: &[DVec3], bounds: &impl Fn(usize) -> Aabb) {
        let of_items = items.iter().fold(Aabb::EMPTY, |sum, &item| union(&sum, &bounds(item as usize)));
        let node = self.nodes.len();
        let is_leaf = items.len() <= LEAF;
        self.nodes.push(Node {
            min: of_items.min.to_array().map(rounded_down),
            max: of_items.max.to_array().map(rounded_up),
            start: start as u32,
            count: if is_leaf { items.len() as u32 } else { 0 },
        });
        if is_leaf {
            return;
        }
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for &item in items.iter() {
            low = low.min(middles[item as usize]);
            high = high.max(middles[item as usize]);
        }
        let axis = (high - low).max_position();
        let half = items.len() / 2;
        // The index decides between equal middles, so that the tree is the same on every platform.
        let key = |item: &u32| (middles[*item as usize][axis], *item);
        items.select_nth_unstable_by(half, |a, b| {
            let (a, b) = (key(a), key(b));
            a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
        });
        let (lower, upper) = items.split_at_mut(half);
        self.split(lower, start, middles, bounds);
        self.nodes[node].start = self.nodes.len() as u32;
        self.split(upper, start + half, middles, bounds);
    }

    /// Returns the memory that it takes, bytes.
    pub fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.items.capacity() * size_of::<u32>()
    }

    /// Returns the items in an order in which neighbours are close in space.
    pub fn items(&self) -> &[u32] {
        &self.items
    }

    /// Visits all items in those leaves whose boxes, and those of all nodes above them, are
    /// accepted. The boxes of the visited items have to be tested by the caller.
    #[inline]
    pub fn visit(&self, accepts: impl Fn(&Aabb) -> bool, item: impl FnMut(usize)) {
        self.visit_nodes(|node| accepts(&node.bounds()), item);
    }

    /// Visits all items whose boxes may overlap `bounds`. The boxes of the visited items have to be
    /// tested by the caller.
    #[inline]
    pub fn visit_in(&self, bounds: &Aabb, item: impl FnMut(usize)) {
        // Rounded outward, it is compared with the boxes of the nodes in single precision.
        let (low, high) = (bounds.min.to_array().map(rounded_down), bounds.max.to_array().map(rounded_up));
        let overlaps = |node: &Node, axis: usize| node.min[axis] <= high[axis] && node.max[axis] >= low[axis];
        self.visit_nodes(|node| overlaps(node, 0) && overlaps(node, 1) && overlaps(node, 2), item);
    }

    #[inline]
    fn visit_nodes(&self, accepts: impl Fn(&Node) -> bool, mut item: impl FnMut(usize)) {
        if self.nodes.is_empty() {
            return;
        }
        // Each level halves the items, so that 32 levels are enough for 32-bit numbers.
        let mut waiting = [0u32; 64];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let index = waiting[depth];
            let node = &self.nodes[index as usize];
            if !accepts(node) {
                continue;
            }
            if node.count == 0 {
                waiting[depth] = node.start;
                waiting[depth + 1] = index + 1;
                depth += 2;
            } else {
                let start = node.start as usize;
                self.items[start..start + node.count as usize].iter().for_each(|&of_leaf| item(of_leaf as usize));
            }
        }
    }
}

/// Returns the number of nodes of the tree of a number of items.
fn node_count(items: usize) -> usize {
    match items {
        0 => 0,
        1..=LEAF => 1,
        _ => 1 + node_count(items / 2) + node_count(items - items / 2),
    }
}

fn union(a: &Aabb, b: &Aabb) -> Aabb {
    Aabb { min: a.min.min(b.min), max: a.max.max(b.max) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn a_visit_finds_the_same_boxes_as_a_loop_over_all() {
        let mut random = Random::new(3);
        for count in [0, 1, 8, 9, 1000] {
            let boxes: Vec<Aabb> = (0..count)
                .map(|_| {
                    let min = random.in_cube();
                    Aabb { min, max: min + 0.1 * (random.in_cube() + DVec3::ONE) }
                })
                .collect();
            let tree = BoxTree::new(count, |k| boxes[k]);
            assert_eq!(tree.nodes.len(), node_count(count));
            for _ in 0..50 {
                let query = Aabb::EMPTY.including(random.in_cube(), 0.2);
                let mut found = Vec::new();
                tree.visit(|bounds| bounds.overlaps(&query), |k| found.push(k));
                let mut found_in = Vec::new();
                tree.visit_in(&query, |k| found_in.push(k));
                for found in [&mut found, &mut found_in] {
                    found.retain(|&k| boxes[k].overlaps(&query));
                    found.sort_unstable();
                }
                assert_eq!(found, found_in);
                let all: Vec<usize> = (0..count).filter(|&k| boxes[k].overlaps(&query)).collect();
                assert_eq!(found, all);
            }
        }
    }

    #[test]
    fn equal_boxes_are_split_evenly() {
        let same = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
        let tree = BoxTree::new(100_000, |_| same);
        let mut count = 0;
        tree.visit(|_| true, |_| count += 1);
        assert_eq!(count, 100_000);
    }
}
