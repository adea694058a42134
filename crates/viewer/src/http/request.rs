//! Parsing of the head of a request.

use std::io::{self, BufRead, Read};

/// Largest length of a head, bytes. Browsers send less than a thousand.
const MOST_HEAD: u64 = 16 * 1024;

/// A request without a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// `GET` or another method.
    pub method: String,
    /// Path without parameters.
    pub path: String,
    /// Parameters in their order.
    pub parameters: Vec<(String, String)>,
    /// Names in lower case, and values.
    headers: Vec<(String, String)>,
}

impl Request {
    /// Reads a request, or returns `None` at the end of the connection.
    pub fn read(stream: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut limited = stream.take(MOST_HEAD);
        let mut lines = Vec::new();
        loop {
            let mut line = Vec::new();
            if limited.read_until(b'\n', &mut line)? == 0 {
                return if lines.is_empty() && limited.limit() > 0 { Ok(None) } else { Err(malformed()) };
            }
            if line.last() != Some(&b'\n') {
                return Err(malformed());
            }
            let line = String::from_utf8(line).map_err(|_| malformed())?;
            let line = line.trim_end_matches(['\r', '\n']);
            if line.is_empty() {
                return Self::parse(&lines).map(Some).ok_or_else(malformed);
            }
            lines.push(line.to_owned());
        }
    }

    fn parse(lines: &[String]) -> Option<Self> {
        let (first, rest) = lines.split_first()?;
        let mut words = first.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        if !version.starts_with("HTTP/1.") || words.next().is_some() || !target.starts_with('/') {
            return None;
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let parameter = |part: &str| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (name.to_owned(), value.to_owned())
        };
        let header = |line: &String| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_owned()))
        };
        Some(Self {
            method: method.to_owned(),
            path: path.to_owned(),
            parameters: query.split('&').filter(|part| !part.is_empty()).map(parameter).collect(),
            headers: rest.iter().map(header).collect::<Option<_>>()?,
        })
    }

    /// Returns a header by its name in lower case, if there is exactly one.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let value = found.next();
        if found.next().is_some() { None } else { value }
    }

    /// Returns a parameter as a number.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }

    /// Returns a parameter as it was sent. Names and numbers need no decoding.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "malformed request")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_follow_each_other_on_one_connection() {
        let text = "GET /api/frame/3?quantity=speed&contacts=1 HTTP/1.1\r\nHost: localhost:1\r\n\r\nGET / HTTP/1.1\n\n";
        let mut stream = text.as_bytes();
        let first = Request::read(&mut stream).expect("valid").expect("a request");
        assert_eq!((first.path.as_str(), first.text("quantity")), ("/api/frame/3", Some("speed")));
        assert_eq!((first.number("contacts"), first.header("host")), (Some(1), Some("localhost:1")));
        assert_eq!(Request::read(&mut stream).expect("valid").expect("a request").path, "/");
        assert_eq!(Request::read(&mut stream).expect("the end"), None);
    }

    #[test]
    fn malformed_and_endless_heads_are_refused() {
        let endless = format!("GET / HTTP/1.1\r\nA: {}", "a".repeat(1 << 20));
        for text in ["GET / HTTP/1.1\r\n", "GET /", "\r\n", "GET / HTTP/2\r\n\r\n", "GET x HTTP/1.1\r\n\r\n", &endless]
        {
            assert!(Request::read(&mut text.as_bytes()).is_err(), "{:.30}", text);
        }
        assert!(Request::read(&mut &b"GET /\xff HTTP/1.1\r\n\r\n"[..]).is_err());
    }
}
