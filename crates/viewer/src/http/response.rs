//! An answer of the server.

use std::io::{self, Write};

/// Headers of every answer. The page loads nothing from elsewhere, no other page may read an answer
/// or show the page in a frame, and nothing is stored.
const HEADERS: &str = "Cache-Control: no-store\r\n\
     X-Content-Type-Options: nosniff\r\n\
     X-Frame-Options: DENY\r\n\
     Cross-Origin-Resource-Policy: same-origin\r\n\
     Cross-Origin-Opener-Policy: same-origin\r\n\
     Referrer-Policy: no-referrer\r\n";

/// What the page may load: itself, and data of this server.
pub const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
     img-src data: blob:; media-src blob:; connect-src 'self'; base-uri 'none'; form-action 'none'";

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// Status code and its name.
    pub status: &'static str,
    kind: &'static str,
    /// Contents.
    pub body: Vec<u8>,
}

impl Response {
    /// Returns a document.
    pub fn html(body: String) -> Self {
        Self { status: "200 OK", kind: "text/html; charset=utf-8", body: body.into_bytes() }
    }

    /// Returns JSON.
    pub fn json(body: &serde_json::Value) -> Self {
        Self { status: "200 OK", kind: "application/json", body: body.to_string().into_bytes() }
    }

    /// Returns a binary message.
    pub fn binary(body: Vec<u8>) -> Self {
        Self { status: "200 OK", kind: "application/octet-stream", body }
    }

    /// Returns an answer without contents: nothing has changed.
    pub fn unchanged() -> Self {
        Self { status: "204 No Content", kind: "text/plain", body: Vec::new() }
    }

    /// Returns an error with a message for the page.
    pub fn error(status: &'static str, message: &str) -> Self {
        Self { status, kind: "text/plain; charset=utf-8", body: message.as_bytes().to_vec() }
    }

    /// Writes the answer, without its contents for a `HEAD` request. `is_last` announces the end of
    /// the connection.
    pub fn write(&self, stream: &mut impl Write, with_body: bool, is_last: bool) -> io::Result<()> {
        let Self { status, kind, body } = self;
        let length = body.len();
        let close = if is_last { "Connection: close\r\n" } else { "" };
        write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{close}{HEADERS}\
             Content-Security-Policy: {POLICY}; frame-ancestors 'none'\r\n\r\n"
        )?;
        if with_body {
            stream.write_all(body)?;
        }
        stream.flush()
    }
}
