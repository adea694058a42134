//! The file of a checkpoint: a header, then the contents in `postcard` format.
//!
//! | bytes | contents |
//! | --- | --- |
//! | 8 | [`MAGIC`] |
//! | 4 | [`FORMAT`], little endian, as all numbers here |
//! | 4 | CRC-32 of the contents, followed by the header with zeros in place of this number |
//! | 8 | length of the contents |
//! | 16 | version of granum that wrote it, padded with zeros |
//! | 8 | identifier of the run |
//!
//! The header is written last, so that an incomplete file has none. The checksum covers every byte
//! of the file.

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

/// Version of the contents. Any change of the saved data must change it, because `postcard` stores
/// neither names nor types of fields.
pub const FORMAT: u32 = 16;

/// Length of the header, bytes.
pub const HEAD: usize = 48;

/// Bytes of the checksum in the header.
const CHECKSUM: std::ops::Range<usize> = 12..16;

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
    /// The checksum does not match the other bytes.
    #[error("is damaged: its checksum is {found:08x} where {expected:08x} was written")]
    Checksum {
        /// Checksum in the header.
        expected: u32,
        /// Checksum of the other bytes.
        found: u32,
    },
    /// The contents cannot be deserialised although the checksum is right.
    #[error("cannot be used: {0}")]
    Contents(String),
}

/// The writer of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Version of granum.
    pub version: String,
    /// Identifier of the run.
    pub run: u64,
}

/// Writes the contents and then the header of a checkpoint of this run. The file is not yet
/// synchronised to the disk.
pub fn write<T: Serialize>(file: &mut File, run: u64, contents: &T) -> io::Result<()> {
    file.write_all(&[0; HEAD])?;
    let (length, checksum) = stream(file, contents)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&head(run, length, checksum))
}

/// Returns the bytes of a file that [`write()`] would write.
pub fn encode<T: Serialize>(run: u64, contents: &T) -> io::Result<Vec<u8>> {
    let mut bytes = postcard::to_extend(contents, vec![0; HEAD]).map_err(io::Error::other)?;
    let mut checksum = crc32fast::Hasher::new();
    checksum.update(&bytes[HEAD..]);
    let head = head(run, (bytes.len() - HEAD) as u64, checksum);
    bytes[..HEAD].copy_from_slice(&head);
    Ok(bytes)
}

/// Reads a file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // A damaged header may contain any length, so the length of the file limits the read.
    let length = fs::metadata(path)?.len();
    File::open(path)?.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the contents of a checkpoint and its origin. Only data with a valid checksum are used.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, Origin), Refusal> {
    let Some((head, contents)) = bytes.split_at_checked(HEAD) else {
        let cut = MAGIC.starts_with(bytes) || bytes.starts_with(&MAGIC);
        let short = Refusal::Length { expected: HEAD as u64, found: bytes.len() as u64 };
        return Err(if cut { short } else { Refusal::Foreign });
    };
    if head[..8] != MAGIC {
        return Err(Refusal::Foreign);
    }
    let word = |from: usize| u32::from_le_bytes([head[from], head[from + 1], head[from + 2], head[from + 3]]);
    let long = |from: usize| u64::from(word(from + 4)) << 32 | u64::from(word(from));
    let version = String::from_utf8_lossy(&head[24..24 + VERSION_ROOM]);
    // The checksum has not been verified yet. A damaged version may contain line breaks, which a
    // message must not.
    let version = version.trim_end_matches('\0').escape_debug().to_string();
    if word(8) != FORMAT {
        return Err(Refusal::Format { format: word(8), version });
    }
    let expected = long(16).saturating_add(HEAD as u64);
    if expected != bytes.len() as u64 {
        return Err(Refusal::Length { expected, found: bytes.len() as u64 });
    }
    let mut checksum = crc32fast::Hasher::new();
    checksum.update(contents);
    let found = with_header(checksum, head);
    if word(CHECKSUM.start) != found {
        return Err(Refusal::Checksum { expected: word(CHECKSUM.start), found });
    }
    match postcard::take_from_bytes(contents) {
        Ok((value, [])) => Ok((value, Origin { version, run: long(24 + VERSION_ROOM) })),
        Ok((_, rest)) => Err(Refusal::Contents(format!("{} bytes are left over", rest.len()))),
        Err(error) => Err(Refusal::Contents(error.to_string())),
    }
}

/// Returns the header; `checksum` is that of the contents.
fn head(run: u64, length: u64, checksum: crc32fast::Hasher) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(&MAGIC);
    head[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    head[16..24].copy_from_slice(&length.to_le_bytes());
    let version = env!("CARGO_PKG_VERSION").as_bytes();
    let kept = version.len().min(VERSION_ROOM);
    head[24..24 + kept].copy_from_slice(&version[..kept]);
    head[24 + VERSION_ROOM..].copy_from_slice(&run.to_le_bytes());
    let checksum = with_header(checksum, &head);
    head[CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
    head
}

/// Returns the checksum of the contents and the header, in which the checksum counts as zero.
fn with_header(mut contents: crc32fast::Hasher, head: &[u8]) -> u32 {
    contents.update(&head[..CHECKSUM.start]);
    contents.update(&[0; size_of::<u32>()]);
    contents.update(&head[CHECKSUM.end..]);
    contents.finalize()
}

/// Serialises and writes the contents in parallel. It returns their length and checksum.
fn stream<T: Serialize>(file: &mut File, contents: &T) -> io::Result<(u64, crc32fast::Hasher)> {
    thread::scope(|scope| {
        let (full, to_write) = sync_channel(BLOCKS);
        let (written, empty) = sync_channel(BLOCKS);
        let writer = scope.spawn(move || write_blocks(file, &to_write, &written));
        let encoded = postcard::serialize_with_flavor(contents, Blocks::new(full, empty));
        // A write error is reported first, because it also causes a serialisation error.
        let written = writer.join().map_err(|_| io::Error::other("the writing thread failed"))??;
        encoded.map_err(io::Error::other)?;
        Ok(written)
    })
}

/// Writes blocks as they arrive and returns them for reuse.
fn write_blocks(
    file: &mut File,
    full: &Receiver<Vec<u8>>,
    empty: &SyncSender<Vec<u8>>,
) -> io::Result<(u64, crc32fast::Hasher)> {
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
        // The serialising thread does not wait for the last blocks, so this may fail.
        let _ = empty.send(block);
    }
    Ok((length, checksum))
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
    fn send_block(&mut self) -> postcard::Result<()> {
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
            self.send_block()?;
        }
        self.block.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        self.full.send(self.block).map_err(|_| postcard::Error::SerializeBufferFull)
    }
}
