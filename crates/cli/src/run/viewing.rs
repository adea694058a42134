//! The viewer of a run in progress: it shows the present state and gives orders between batches of
//! steps.

use std::sync::Arc;
use std::thread;

use granum_engine::World;
use granum_viewer::{Live, Order, Run, Viewer};

use super::console::Console;
use super::session::Session;
use super::signals::Signals;
use crate::Failure;
use crate::view::{Opening, WAIT, open, wait_for_signal};

/// Batches become shorter by this factor while a page is open, so that it gets 20 pictures per
/// second.
const SHORTER: u64 = 2;

/// The viewer of a run.
pub struct Viewing {
    live: Arc<Live>,
    console: Console,
}

impl Viewing {
    /// Starts the server and opens the browser.
    pub fn start(opening: Opening, session: &Session) -> Result<Self, Failure> {
        let live = Arc::new(Live::new(session.simulation.world()));
        let viewer = Viewer::of_simulation(Run::open(&session.dir)?, Arc::clone(&live));
        let url = open(viewer, opening)?;
        session.console.line(&format!("viewer     {url}"));
        Ok(Self { live, console: session.console.clone() })
    }

    /// Returns the number of steps of the next batch.
    pub fn batch(&self, steps: u64) -> u64 {
        match (self.live.is_paused(), self.live.is_watched()) {
            (true, _) => 1,
            (false, true) => (steps / SHORTER).max(1),
            (false, false) => steps,
        }
    }

    /// Offers the state, and waits while the run is paused. A signal ends the pause.
    pub fn obey(&self, world: &World, signals: &Signals) -> Order {
        loop {
            self.live.offer(world);
            match self.live.order() {
                Order::Pause if signals.pending().is_none() => thread::sleep(WAIT),
                Order::Pause => return Order::Go,
                order => return order,
            }
        }
    }

    /// Shows the last state.
    pub fn end(&self, world: &World) {
        self.live.end(world);
    }

    /// Keeps the viewer open until a signal is received.
    pub fn linger(&self, signals: &Signals) {
        self.console.line("viewer     stays open; Ctrl-C ends it");
        wait_for_signal(signals);
    }
}
