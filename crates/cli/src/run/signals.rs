//! Ctrl-C and SIGTERM. They are recorded when received and handled between steps.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// Offset of the exit code from the number of the signal that ended the program.
const SIGNAL_CODE: u8 = 128;

/// A signal that stops a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Ctrl-C.
    Interrupt,
    /// SIGTERM, sent by the system or a batch queue.
    Terminate,
}

impl Signal {
    /// Returns the name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Interrupt => "Ctrl-C",
            Self::Terminate => "SIGTERM",
        }
    }

    /// Returns the exit code of the program after this signal.
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

/// Records signals. A second signal ends the program at once.
pub struct Signals {
    /// Number of the last signal; 0 for none.
    last: Arc<AtomicUsize>,
}

impl Signals {
    /// Installs the signal handlers.
    pub fn listen() -> io::Result<Self> {
        let last = Arc::new(AtomicUsize::new(0));
        let received = Arc::new(AtomicBool::new(false));
        for signal in [Signal::Interrupt, Signal::Terminate] {
            let number = signal.number();
            // The order matters: the first signal finds the flag unset and sets it, so that only
            // the second one ends the program.
            flag::register_conditional_shutdown(number, signal.exit_code().into(), Arc::clone(&received))?;
            flag::register(number, Arc::clone(&received))?;
            flag::register_usize(number, Arc::clone(&last), number as usize)?;
        }
        Ok(Self { last })
    }

    /// Returns the signal that was received, if any.
    pub fn pending(&self) -> Option<Signal> {
        let last = self.last.load(Ordering::SeqCst);
        [Signal::Interrupt, Signal::Terminate].into_iter().find(|signal| signal.number() as usize == last)
    }
}
