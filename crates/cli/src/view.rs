//! `granum view`: an interactive view of a run in the browser.

use std::env;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use granum_viewer::{Run, Server, Viewer};

use crate::Failure;
use crate::run::signals::Signals;

/// Time between two looks at signals.
pub const WAIT: Duration = Duration::from_millis(10);

/// Show a run in the browser.
///
/// Serves an interactive page on the loopback address until Ctrl-C: true shapes, colours by any
/// quantity, contact forces, a timeline with the energies, and the data of each grain. The run may be
/// in progress: new frames appear. The folder is only read. A run of one's own is shown while it
/// proceeds by `granum run SCENE --view`, and `granum export DIR --to html` writes the page with its
/// frames to one file.
#[derive(clap::Args)]
#[command(after_help = "Example: granum view out/first_run-20260315-141500")]
pub struct Args {
    /// Folder of a run
    dir: PathBuf,
    /// Port of the page [default: a free one]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Do not open the browser
    #[arg(long)]
    no_open: bool,
}

/// How a page is opened.
#[derive(Clone, Copy, Debug)]
pub struct Opening {
    /// Port; 0 for a free one.
    pub port: u16,
    /// True if the browser is opened, if there is one.
    pub browser: bool,
}

/// Serves the page until a signal is received.
pub fn run(args: &Args) -> Result<(), Failure> {
    let viewer = Viewer::of_folder(Run::open(&args.dir)?);
    let signals =
        Signals::listen().map_err(|error| Failure::Failed(format!("cannot install the signal handler: {error}")))?;
    let url = open(viewer, Opening { port: args.port, browser: !args.no_open })?;
    writeln!(io::stdout(), "{url}\nCtrl-C ends the viewer")?;
    wait_for_signal(&signals);
    Ok(())
}

/// Starts the server, opens the browser if there is one, and returns the address of the page.
pub fn open(viewer: Viewer, Opening { port, browser }: Opening) -> Result<String, Failure> {
    let server = Server::start(viewer, port)
        .map_err(|error| Failure::Failed(format!("cannot listen on port {port} of the loopback address: {error}")))?;
    let url = server.url();
    if browser {
        open_browser(&url);
    }
    Ok(url)
}

/// Waits until a signal is received.
pub fn wait_for_signal(signals: &Signals) {
    while signals.pending().is_none() {
        thread::sleep(WAIT);
    }
}

/// Opens the browser. A machine without one shows the address in the terminal, and that suffices.
fn open_browser(url: &str) {
    let has_display = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| env::var_os(name).is_some());
    let (program, arguments): (&str, &[&str]) = match env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/c", "start", ""]),
        _ if has_display => ("xdg-open", &[]),
        _ => return,
    };
    let _ = Command::new(program)
        .args(arguments)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
}
