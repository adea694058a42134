//! The present state of a running simulation, and the orders of a page to it.
//!
//! The run calls [`Live::offer`] and [`Live::order`] between batches of steps. A copy of the state is
//! made only if a page waits for one. Orders decide when steps are done, never what they compute.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use glam::DVec3;
use granum_engine::{BodyState, ContactState, ContactView, World};
use granum_geometry::Shape;
use granum_picture::Subject;

/// Shortest time between two copies: 20 pictures per second.
const EVERY: Duration = Duration::from_millis(50);

/// Time after which a page that has asked for nothing counts as closed.
const GONE: Duration = Duration::from_secs(3);

/// What a run does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Order {
    /// Do steps.
    Go,
    /// Wait.
    Pause,
    /// End as after Ctrl-C.
    Stop,
}

/// A copy of the state that pictures need.
pub struct State {
    /// Steps done.
    pub step: u64,
    has_contacts: bool,
    time: f64,
    bodies: Vec<BodyState>,
    contacts: Vec<ContactState>,
    /// Shapes by id.
    pub shapes: Arc<Vec<Shape>>,
    materials: Arc<Vec<String>>,
}

impl State {
    fn of(world: &World, contacts: bool, shapes: &Arc<Vec<Shape>>, materials: &Arc<Vec<String>>) -> Self {
        // The gap of a generalised overlap would be computed anew.
        let state = |contact: ContactView| ContactState {
            a: contact.a(),
            b: contact.b(),
            point: contact.point(),
            normal: contact.normal(),
            gap: f64::NAN,
            force: contact.force(),
            torque: DVec3::ZERO,
        };
        let loaded = world.contacts().filter(|contact| contacts && contact.carries_force());
        Self {
            step: world.steps(),
            has_contacts: contacts,
            time: world.time(),
            bodies: world.bodies().collect(),
            contacts: loaded.map(state).collect(),
            shapes: Arc::clone(shapes),
            materials: Arc::clone(materials),
        }
    }

    /// Returns what a picture needs.
    pub fn subject(&self) -> Subject<'_> {
        Subject {
            time: self.time,
            bodies: &self.bodies,
            contacts: &self.contacts,
            wear: &[],
            shapes: &self.shapes,
            materials: &self.materials,
        }
    }
}

/// The state that the run and the pages share.
pub struct Live {
    last: Mutex<Arc<State>>,
    renewed: Condvar,
    /// True if a page waits for a newer state.
    wanted: AtomicBool,
    /// True if a page needs contacts.
    wants_contacts: AtomicBool,
    /// The present [`Order`].
    order: AtomicU8,
    /// Single steps that are ordered while the run waits.
    steps: AtomicU64,
    /// True after the last step.
    over: AtomicBool,
    /// Last time at which a page has asked.
    asked: Mutex<Option<Instant>>,
    copied: Mutex<Instant>,
    materials: Arc<Vec<String>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Live {
    /// Creates the shared state with a first copy.
    pub fn new(world: &World) -> Self {
        let materials = Arc::new(world.materials().iter().map(|material| material.name.clone()).collect());
        let shapes = Arc::new(world.shapes().to_vec());
        Self {
            last: Mutex::new(Arc::new(State::of(world, true, &shapes, &materials))),
            renewed: Condvar::new(),
            wanted: AtomicBool::new(false),
            wants_contacts: AtomicBool::new(false),
            order: AtomicU8::new(Order::Go as u8),
            steps: AtomicU64::new(0),
            over: AtomicBool::new(false),
            asked: Mutex::new(None),
            copied: Mutex::new(Instant::now()),
            materials,
        }
    }

    /// Copies the world if a page waits for it and the last copy is old enough.
    pub fn offer(&self, world: &World) {
        if !self.wanted.load(Ordering::Acquire) || locked(&self.copied).elapsed() < EVERY {
            return;
        }
        self.copy(world);
    }

    fn copy(&self, world: &World) {
        *locked(&self.copied) = Instant::now();
        self.wanted.store(false, Ordering::Release);
        let known = Arc::clone(&locked(&self.last).shapes);
        let shapes = if known.len() == world.shapes().len() { known } else { Arc::new(world.shapes().to_vec()) };
        let contacts = self.wants_contacts.swap(false, Ordering::AcqRel);
        let state = Arc::new(State::of(world, contacts, &shapes, &self.materials));
        *locked(&self.last) = state;
        self.renewed.notify_all();
    }

    /// Returns the present order. A single step that was ordered is used up.
    pub fn order(&self) -> Order {
        match self.order.load(Ordering::Acquire) {
            order if order == Order::Stop as u8 => Order::Stop,
            order if order == Order::Pause as u8 => {
                let take = |steps: u64| steps.checked_sub(1);
                match self.steps.fetch_update(Ordering::AcqRel, Ordering::Acquire, take) {
                    Ok(_) => Order::Go,
                    Err(_) => Order::Pause,
                }
            }
            _ => Order::Go,
        }
    }

    /// Returns whether the run waits, or does single steps only.
    pub fn is_paused(&self) -> bool {
        self.order.load(Ordering::Acquire) == Order::Pause as u8
    }

    /// Returns whether the steps are done.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// Returns whether a page has asked for data lately.
    pub fn is_watched(&self) -> bool {
        locked(&self.asked).is_some_and(|asked| asked.elapsed() < GONE)
    }

    /// Stores the last state, after which no other follows.
    pub fn end(&self, world: &World) {
        self.wants_contacts.store(true, Ordering::Release);
        self.copy(world);
        self.over.store(true, Ordering::Release);
        self.renewed.notify_all();
    }

    /// Executes an order of a page, and returns whether there is such an order.
    pub fn command(&self, name: &str) -> bool {
        match name {
            "go" => self.order.store(Order::Go as u8, Ordering::Release),
            "pause" => self.order.store(Order::Pause as u8, Ordering::Release),
            "step" => {
                self.order.store(Order::Pause as u8, Ordering::Release);
                self.steps.fetch_add(1, Ordering::AcqRel);
            }
            "stop" => self.order.store(Order::Stop as u8, Ordering::Release),
            _ => return false,
        }
        true
    }

    /// Waits for a state after step `after`, at most for some time, and returns the last one.
    pub fn wait(&self, after: Option<u64>, contacts: bool, limit: Duration) -> Arc<State> {
        *locked(&self.asked) = Some(Instant::now());
        self.wants_contacts.fetch_or(contacts, Ordering::AcqRel);
        let mut last = locked(&self.last);
        let is_old = |state: &mut Arc<State>| {
            let lacks_contacts = contacts && !state.has_contacts;
            (Some(state.step) == after || lacks_contacts) && !self.is_over()
        };
        if is_old(&mut last) {
            self.wanted.store(true, Ordering::Release);
        }
        let waited = self.renewed.wait_timeout_while(last, limit, is_old);
        let (last, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let state = Arc::clone(&last);
        drop(last);
        // The next one is prepared while the page draws this one.
        self.wants_contacts.fetch_or(contacts, Ordering::AcqRel);
        self.wanted.store(true, Ordering::Release);
        state
    }
}
