//! The file of a checkpoint: a header, then the contents in `postcard` format.
//!
//! | bytes | contents |
//! | --- | --- |
//! | 8 | [`MAGIC`] |
//! | 4 | [`FORMAT`], little endian, as all numbers here |
//! | 4 | CRC-32 of the contents |
//! | 8 | length of the contents |
//! | 16 | version of granum that wrote it, padded with zeros |
//!
//! The header is written last, so that an incomplete file has none.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use postcard::ser_flavors::Flavor;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// First bytes of every checkpoint. The line ends detect a file that was transferred as text.
pub const MAGIC: [u8; 8] = *b"granum\r\n";

/// Version of the contents. Any change of the saved data must change it, because the contents do
/// not describe themselves.
pub const FORMAT: u32 = 10;

/// Length of the header, bytes.
pub const HEAD: usize = 40;

/// Length of the version of granum in the header, bytes.
const VERSION_ROOM: usize = 16;

/// Size of a block for the writing thread, bytes: large enough for a cheap transfer, small enough
/// for the cache.
const BLOCK: usize = 1 << 20;

/// Number of blocks that circulate between the two threads.
const BLOCKS: usize = 8;

/// Number of bytes after which the system starts to write to the disk while the rest is serialised.
const SYNC_EVERY: u64 = 64 << 20;

/// The reason why a checkpoint is rejected.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// The file is not a checkpoint.
    #[error("is not a checkpoint of granum")]
    Foreign,
    /// The file is too short or too long.
    #[error("is damaged: it has {found} bytes where {expected} were written")]
    Length {
        /// Expected length, bytes.
        expected: u64,
        /// Actual length, bytes.
        found: u64,
    },
    /// The file has another format version.
    #[error("was written by granum {version} in format {format}; this granum reads format {FORMAT}")]
    Format {
        /// Its format version.
        format: u32,
        /// The version of granum that wrote it.
        version: String,
    },
    /// The checksum does not match the contents.
    #[error("is damaged: its checksum is {found:08x} where {expected:08x} was written")]
    Checksum {
        /// Checksum in the header.
        expected: u32,
        /// Checksum of the contents.
        found: u32,
    },
    /// The contents cannot be deserialised although the checksum is right.
    #[error("cannot be used: {0}")]
    Contents(String),
}

/// Writes the contents and then the header. The file is not yet synchronised to the disk.
pub fn write<T: Serialize>(file: &mut File, contents: &T) -> io::Result<()> {
    file.write_all(&[0; HEAD])?;
    let (length, checksum) = stream(file, contents)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&head(length, checksum))
}

/// Reads a file and returns the version of granum that wrote it. Only data with a valid checksum
/// are used.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<(T, String), Refusal> {
    let mut bytes = Vec::new();
    // Never read more than the length of the file, whatever its header contains.
    let length = fs::metadata(path)?.len();
    File::open(path)?.take(length).read_to_end(&mut bytes)?;
    parse(&bytes)
}

/// The contents of a checkpoint, and the version of granum that wrote it.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, String), Refusal> {
    let Some((head, contents)) = bytes.split_at_checked(HEAD) else {
        let cut = MAGIC.starts_with(bytes) || bytes.starts_with(&MAGIC);
        let short = Refusal::Length { expected: HEAD as u64, found: bytes.len() as u64 };
        return Err(if cut { short } else { Refusal::Foreign });
    };
    if head[..8] != MAGIC {
        return Err(Refusal::Foreign);
    }
    let word = |from: usize| u32::from_le_bytes([head[from], head[from + 1], head[from + 2], head[from + 3]]);
    let version = String::from_utf8_lossy(&head[24..]).trim_end_matches('\0').to_owned();
    if word(8) != FORMAT {
        return Err(Refusal::Format { format: word(8), version });
    }
    let expected = (u64::from(word(20)) << 32 | u64::from(word(16))).saturating_add(HEAD as u64);
    if expected != bytes.len() as u64 {
        return Err(Refusal::Length { expected, found: bytes.len() as u64 });
    }
    let found = crc32fast::hash(contents);
    if word(12) != found {
        return Err(Refusal::Checksum { expected: word(12), found });
    }
    match postcard::take_from_bytes(contents) {
        Ok((value, [])) => Ok((value, version)),
        Ok((_, rest)) => Err(Refusal::Contents(format!("{} bytes are left over", rest.len()))),
        Err(error) => Err(Refusal::Contents(error.to_string())),
    }
}

fn head(length: u64, checksum: u32) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(&MAGIC);
    head[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    head[12..16].copy_from_slice(&checksum.to_le_bytes());
    head[16..24].copy_from_slice(&length.to_le_bytes());
    let version = env!("CARGO_PKG_VERSION").as_bytes();
    let kept = version.len().min(VERSION_ROOM);
    head[24..24 + kept].copy_from_slice(&version[..kept]);
    head
}

/// Serialises and writes the contents in parallel. It returns their length and checksum.
fn stream<T: Serialize>(file: &mut File, contents: &T) -> io::Result<(u64, u32)> {
    thread::scope(|scope| {
        let (full, to_write) = sync_channel(BLOCKS);
        let (written, empty) = sync_channel(BLOCKS);
        let writer = scope.spawn(move || write_blocks(file, &to_write, &written));
        let encoded = postcard::serialize_with_flavor(contents, Blocks::new(full, empty));
        // A write error is the cause of a serialisation error, so that it is reported first.
        let written = writer.join().map_err(|_| io::Error::other("the writing thread failed"))??;
        encoded.map_err(io::Error::other)?;
        Ok(written)
    })
}

/// Writes blocks as they arrive and returns them for reuse.
fn write_blocks(file: &mut File, full: &Receiver<Vec<u8>>, empty: &SyncSender<Vec<u8>>) -> io::Result<(u64, u32)> {
    let (mut length, mut synced, mut checksum) = (0, 0, crc32fast::Hasher::new());
    for mut block in full {
        checksum.update(&block);
        file.write_all(&block)?;
        length += block.len() as u64;
        if length - synced >= SYNC_EVERY {
            file.sync_data()?;
            synced = length;
        }
        block.clear();
        // The receiver of the last blocks may be gone already.
        let _ = empty.send(block);
    }
    Ok((length, checksum.finalize()))
}

/// Collects bytes in blocks and sends them to the writing thread.
struct Blocks {
    block: Vec<u8>,
    full: SyncSender<Vec<u8>>,
    empty: Receiver<Vec<u8>>,
    /// Number of blocks that may still be allocated.
    spare: usize,
}

impl Blocks {
    fn new(full: SyncSender<Vec<u8>>, empty: Receiver<Vec<u8>>) -> Self {
        Self { block: Vec::with_capacity(BLOCK), full, empty, spare: BLOCKS - 1 }
    }

    /// Sends the block and takes an empty one. The other thread ends early only after a write
    /// error.
    #[cold]
    fn hand_over(&mut self) -> postcard::Result<()> {
        let gone = || postcard::Error::SerializeBufferFull;
        self.full.send(std::mem::take(&mut self.block)).map_err(|_| gone())?;
        self.block = if self.spare > 0 {
            self.spare -= 1;
            Vec::with_capacity(BLOCK)
        } else {
            self.empty.recv().map_err(|_| gone())?
        };
        Ok(())
    }
}

impl Flavor for Blocks {
    type Output = ();

    #[inline(always)]
    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.try_extend(&[byte])
    }

    #[inline(always)]
    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        if self.block.len() + bytes.len() > BLOCK {
            self.hand_over()?;
        }
        self.block.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        self.full.send(self.block).map_err(|_| postcard::Error::SerializeBufferFull)
    }
}
