//! Ctrl-C and SIGTERM: noted when they come, obeyed between steps.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// Exit code of a program that a signal has ended: this much more than the signal's number.
const SIGNAL_CODE: u8 = 128;

/// A signal that asks a run to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Ctrl-C.
    Interrupt,
    /// The system's or a queue's wish.
    Terminate,
}

impl Signal {
    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Interrupt => "Ctrl-C",
            Self::Terminate => "SIGTERM",
        }
    }

    /// The exit code that tells of it.
    pub fn exit_code(self) -> u8 {
        SIGNAL_CODE + self.number() as u8
    }

    fn number(self) -> i32 {
        match self {
            Self::Interrupt => SIGINT,
            Self::Terminate => SIGTERM,
        }
    }
}

/// Notes signals as they come. A second one ends the program at once.
pub struct Signals {
    /// Number of the last signal; 0 for none.
    last: Arc<AtomicUsize>,
}

impl Signals {
    /// Starts listening.
    pub fn listen() -> io::Result<Self> {
        let last = Arc::new(AtomicUsize::new(0));
        let came = Arc::new(AtomicBool::new(false));
        for signal in [Signal::Interrupt, Signal::Terminate] {
            let number = signal.number();
            // In this order: the first signal finds the flag down and puts it up, the second finds it up.
            flag::register_conditional_shutdown(number, signal.exit_code().into(), Arc::clone(&came))?;
            flag::register(number, Arc::clone(&came))?;
            flag::register_usize(number, Arc::clone(&last), number as usize)?;
        }
        Ok(Self { last })
    }

    /// The signal that has come, if one has.
    pub fn pending(&self) -> Option<Signal> {
        let last = self.last.load(Ordering::SeqCst);
        [Signal::Interrupt, Signal::Terminate].into_iter().find(|signal| signal.number() as usize == last)
    }
}
