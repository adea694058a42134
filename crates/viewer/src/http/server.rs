//! Listening on the loopback address.

use std::io::{self, BufReader, BufWriter};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::request::Request;
use super::response::Response;
use super::router::{Viewer, answer};

/// Largest number of connections. A browser opens at most six for a page.
const MOST_CONNECTIONS: usize = 64;

/// Time after which a silent connection is closed.
const SILENCE: Duration = Duration::from_secs(30);

/// A server that answers until the process ends.
pub struct Server {
    address: SocketAddr,
}

impl Server {
    /// Starts to listen on a port of the loopback address; 0 for a free one.
    pub fn start(viewer: Viewer, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let viewer = Arc::new(viewer);
        let open = Arc::new(AtomicUsize::new(0));
        thread::Builder::new().name("viewer".into()).spawn(move || {
            for stream in listener.incoming().flatten() {
                serve(stream, &viewer, &open);
            }
        })?;
        Ok(Self { address })
    }

    /// Returns the address of the page.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }
}

/// Answers the requests of a connection in a thread of its own.
fn serve(stream: TcpStream, viewer: &Arc<Viewer>, open: &Arc<AtomicUsize>) {
    // Counted here and not in the thread, so that no more threads are started than allowed.
    if open.fetch_add(1, Ordering::AcqRel) >= MOST_CONNECTIONS {
        open.fetch_sub(1, Ordering::AcqRel);
        return;
    }
    let (viewer, counter) = (Arc::clone(viewer), Arc::clone(open));
    let started = thread::Builder::new().name("viewer connection".into()).spawn(move || {
        // A page that was closed is no error.
        let _ = converse(&stream, &viewer);
        counter.fetch_sub(1, Ordering::AcqRel);
    });
    if started.is_err() {
        open.fetch_sub(1, Ordering::AcqRel);
    }
}

fn converse(stream: &TcpStream, viewer: &Viewer) -> io::Result<()> {
    stream.set_read_timeout(Some(SILENCE))?;
    stream.set_write_timeout(Some(SILENCE))?;
    stream.set_nodelay(true)?;
    let (mut reader, mut writer) = (BufReader::new(stream), BufWriter::new(stream));
    loop {
        match Request::read(&mut reader) {
            Ok(Some(request)) => {
                // An unread body would be taken for the next request.
                let is_last = !matches!(request.method.as_str(), "GET" | "HEAD");
                answer(viewer, &request).write(&mut writer, request.method != "HEAD", is_last)?;
                if is_last {
                    return Ok(());
                }
            }
            Ok(None) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return Response::error("400 Bad Request", "malformed request").write(&mut writer, true, true);
            }
            Err(error) => return Err(error),
        }
    }
}
