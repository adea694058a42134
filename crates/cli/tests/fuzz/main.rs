//! Random input for every reader: scenes, tables of grains, surface files, checkpoints and contact
//! queries. Each ends with a value or an error, never with a panic or without end.
//!
//! An input is an example of the corpus with random edits. `GRANUM_FUZZ_SECONDS` is the time of
//! each of the six tests, and `GRANUM_FUZZ_SEED` chooses other edits. A failing input is reduced,
//! printed, and written to a file; it belongs into the corpus of its test from then on.

mod checkpoint;
mod contact;
mod scene;
mod surface;
mod table;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};

/// Default time of each test, s: enough for some thousand inputs. `cargo xtask test` sets a minute.
const SECONDS: f64 = 1.0;

/// Inputs between two looks at the clock.
const INPUTS: u32 = 64;

/// Time after which an input is said to have no end, s. The slowest one takes a hundredth of it on
/// a machine without other load.
const LONGEST: u64 = 120;

/// Texts that often reveal an error, for edits of text.
pub const TOKENS: &[&[u8]] = &[
    b"-1",
    b"0",
    b"1e308",
    b"-1e-308",
    b"1e-320",
    b"nan",
    b"inf",
    b"[]",
    b"{}",
    b"\"\"",
    b"\"\xc2\xb5\"",
    b"true",
    b"null",
    b"[[",
    b"]]",
    b"=",
    b".",
    b",",
    b"\n",
    b"\xef\xbb\xbf",
    b"999999999999999999999",
    b"[0, 0]",
    b"\"random\"",
    b"\0",
    b"\xff",
    b"4294967295",
    b"1e50",
    b"1e-50",
    b"0.5",
    b"2",
];

/// A change of an input.
#[derive(Clone, Debug)]
enum Edit {
    /// Replaces `length` bytes at the place by a token.
    Token(u32, usize, usize),
    /// Replaces the word at the place, a number or a name, by a token.
    Word(u32, usize),
    /// Removes `length` bytes.
    Cut(u32, usize),
    /// Repeats `length` bytes.
    Repeat(u32, usize),
    /// Changes one bit.
    Bit(u32, u8),
    /// Sets 8 bytes, as a number of a binary file has.
    Bytes(u32, [u8; 8]),
    /// Continues with another input of the corpus.
    Splice(u32, usize, u32),
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let at = any::<u32>;
    let edit = prop_oneof![
        3 => (at(), 0usize..12, 0..TOKENS.len()).prop_map(|(at, length, token)| Edit::Token(at, length, token)),
        6 => (at(), 0..TOKENS.len()).prop_map(|(at, token)| Edit::Word(at, token)),
        2 => (at(), 1usize..40).prop_map(|(at, length)| Edit::Cut(at, length)),
        2 => (at(), 1usize..60).prop_map(|(at, length)| Edit::Repeat(at, length)),
        2 => (at(), 0u8..8).prop_map(|(at, bit)| Edit::Bit(at, bit)),
        1 => (at(), any::<[u8; 8]>()).prop_map(|(at, bytes)| Edit::Bytes(at, bytes)),
        1 => (at(), any::<usize>(), at()).prop_map(|(at, other, from)| Edit::Splice(at, other, from)),
    ];
    prop::collection::vec(edit, 1..6)
}

impl Edit {
    fn apply(&self, bytes: &mut Vec<u8>, corpus: &[Vec<u8>]) {
        let place = |at: u32, bytes: &[u8]| ((u64::from(at) * bytes.len() as u64) >> 32) as usize;
        let range = |at: u32, length: usize, bytes: &[u8]| {
            let start = place(at, bytes);
            start..(start + length).min(bytes.len())
        };
        match *self {
            Self::Token(at, length, token) => {
                let range = range(at, length, bytes);
                bytes.splice(range, TOKENS[token].iter().copied());
            }
            Self::Word(at, token) => {
                let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"._+-".contains(byte);
                let middle = place(at, bytes);
                let start = bytes[..middle].iter().rposition(|byte| !is_word(byte)).map_or(0, |at| at + 1);
                let end = bytes[middle..].iter().position(|byte| !is_word(byte)).map_or(bytes.len(), |at| middle + at);
                bytes.splice(start..end.max(start), TOKENS[token].iter().copied());
            }
            Self::Cut(at, length) => drop(bytes.drain(range(at, length, bytes))),
            Self::Repeat(at, length) => {
                let range = range(at, length, bytes);
                let part = bytes[range.clone()].to_vec();
                bytes.splice(range.end..range.end, part);
            }
            Self::Bit(at, bit) => {
                let place = place(at, bytes);
                bytes.get_mut(place).into_iter().for_each(|byte| *byte ^= 1 << bit);
            }
            Self::Bytes(at, new) => {
                let range = range(at, new.len(), bytes);
                bytes.splice(range, new);
            }
            Self::Splice(at, other, from) => {
                let other = &corpus[other % corpus.len()];
                bytes.truncate(place(at, bytes));
                bytes.extend(&other[place(from, other)..]);
            }
        }
    }
}

/// Returns the time of each test, s.
fn seconds() -> f64 {
    env::var("GRANUM_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(SECONDS)
}

/// The input that is being read, with the time at which it began.
type Current = Arc<Mutex<Option<(Instant, Vec<u8>)>>>;

/// Ends the program with a message if an input takes too long. No other thread could end it.
fn watch(name: &'static str, current: &Current) {
    let current = Arc::clone(current);
    thread::spawn(move || {
        loop {
            thread::sleep(Duration::from_secs(1));
            // The test has ended.
            if Arc::strong_count(&current) == 1 {
                return;
            }
            let Ok(current) = current.lock() else { return };
            if let Some((start, input)) = &*current
                && start.elapsed().as_secs() > LONGEST
            {
                eprintln!("{name}: this input takes more than {LONGEST} s; it is in {}", keep(name, input).display());
                process::abort();
            }
        }
    });
}

/// Writes a failing input to a file.
fn keep(name: &str, input: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz_{name}"));
    // The message prints the input if the file cannot be written.
    let _ = fs::write(&path, input);
    path
}

/// Reads the corpus, and then random changes of it until the time has passed.
pub fn fuzz(name: &'static str, corpus: &[Vec<u8>], read: impl Fn(&[u8])) {
    let current: Current = Arc::default();
    watch(name, &current);
    let read = |input: &[u8]| {
        if let Ok(mut current) = current.lock() {
            *current = Some((Instant::now(), input.to_vec()));
        }
        read(input);
        if let Ok(mut current) = current.lock() {
            *current = None;
        }
    };
    corpus.iter().for_each(|input| read(input));
    let seed = env::var("GRANUM_FUZZ_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1u64);
    let start = Instant::now();
    let mut inputs = 0;
    for round in 0u64.. {
        if start.elapsed().as_secs_f64() > seconds() {
            break;
        }
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        bytes[8..16].copy_from_slice(&round.to_le_bytes());
        let random = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        let config = Config { cases: INPUTS, failure_persistence: None, ..Config::default() };
        let changed = |(example, edits): &(usize, Vec<Edit>)| {
            let mut input = corpus[example % corpus.len()].clone();
            edits.iter().for_each(|edit| edit.apply(&mut input, corpus));
            input
        };
        let result = TestRunner::new_with_rng(config, random).run(&(any::<usize>(), edits()), |choice| {
            read(&changed(&choice));
            Ok(())
        });
        if let Err(TestError::Fail(reason, choice)) = &result {
            let input = changed(choice);
            let path = keep(name, &input);
            panic!("{name}: {reason}\ninput in {}:\n{}", path.display(), String::from_utf8_lossy(&input));
        }
        result.unwrap_or_else(|error| panic!("{name}: {error}"));
        inputs += INPUTS;
    }
    println!("{name}: {inputs} inputs in {:.0} s", start.elapsed().as_secs_f64());
}

/// Checks that a message is one line of a length that can be read.
pub fn is_readable(message: &str) {
    assert!(!message.is_empty() && message.lines().count() == 1 && message.chars().count() < 5000, "{message}");
}

/// Returns a folder for the files of one test.
pub fn folder(name: &str) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz_files_{name}"));
    fs::create_dir_all(&dir).expect("the folder can be created");
    dir
}

/// A scene with one `[[grains]]` table, to which the tests append a shape and positions.
pub const SCENE: &str = r#"
time = { end = "1 ms" }
materials.glass = { density = 2500 }
contact = [{ between = ["glass", "glass"], law = "linear", stiffness = 1000, restitution = 0.5, friction = 0.3 }]
[[grains]]
material = "glass"
"#;
