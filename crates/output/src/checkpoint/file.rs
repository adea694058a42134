//! The file of a checkpoint: a head that says what follows, then the contents in the form of `postcard`.
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | [`MAGIC`] |
//! | 4 | [`FORMAT`], little endian, as all numbers here |
//! | 4 | CRC-32 of the contents |
//! | 8 | length of the contents |
//! | 16 | version of granum that wrote it, filled up with zeros |
//!
//! The head is written last, so that a file that was not finished has none.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use postcard::ser_flavors::Flavor;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What every checkpoint begins with. The line ends show a file that was sent as text.
pub const MAGIC: [u8; 8] = *b"granum\r\n";

/// The form of the contents. A change of anything that is saved changes it: the contents do not describe themselves.
pub const FORMAT: u32 = 7;

/// Bytes of the head.
pub const HEAD: usize = 40;

/// Room for the version of granum in the head.
const VERSION_ROOM: usize = 16;

/// Bytes that are handed to the writing thread at a time: enough to make the handing over cheap, few enough to stay in
/// the cache.
const BLOCK: usize = 1 << 20;

/// Blocks that go round between the two threads.
const BLOCKS: usize = 8;

/// Bytes after which the disk is to begin with what it has been given, while the rest is still being put into bytes.
const SYNC_EVERY: u64 = 64 << 20;

/// Why a file is no checkpoint to go on from.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// It is something else.
    #[error("is not a checkpoint of granum")]
    Foreign,
    /// It ends too soon, or goes on too long.
    #[error("is damaged: it has {found} bytes where {expected} were written")]
    Length {
        /// Bytes there should be.
        expected: u64,
        /// Bytes there are.
        found: u64,
    },
    /// A granum with another form of checkpoints wrote it.
    #[error("was written by granum {version} in format {format}; this granum reads format {FORMAT}")]
    Format {
        /// Its format.
        format: u32,
        /// The granum that wrote it.
        version: String,
    },
    /// Its contents are not those that were written.
    #[error("is damaged: its checksum is {found:08x} where {expected:08x} was written")]
    Checksum {
        /// As written.
        expected: u32,
        /// As found.
        found: u32,
    },
    /// Its contents make no sense, though the checksum is right.
    #[error("cannot be used: {0}")]
    Contents(String),
}

/// Writes the contents and then the head. The disk may not have it all yet.
pub fn write<T: Serialize>(file: &mut File, contents: &T) -> io::Result<()> {
    file.write_all(&[0; HEAD])?;
    let (length, checksum) = stream(file, contents)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&head(length, checksum))
}

/// Reads a file back and says which granum wrote it. Nothing is believed that the checksum does not vouch for.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<(T, String), Refusal> {
    let mut bytes = Vec::new();
    // The length on the disk bounds what is read, whatever the head says.
    let length = fs::metadata(path)?.len();
    File::open(path)?.take(length).read_to_end(&mut bytes)?;
    parse(&bytes)
}

/// The contents of a checkpoint that was read, and which granum wrote it.
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

/// Writes the contents while they are being put into bytes; gives their length and checksum.
fn stream<T: Serialize>(file: &mut File, contents: &T) -> io::Result<(u64, u32)> {
    thread::scope(|scope| {
        let (full, to_write) = sync_channel(BLOCKS);
        let (written, empty) = sync_channel(BLOCKS);
        let writer = scope.spawn(move || write_blocks(file, &to_write, &written));
        let encoded = postcard::serialize_with_flavor(contents, Blocks::new(full, empty));
        // If the disk refused, that is why the encoding failed: the disk's reason comes first.
        let written = writer.join().map_err(|_| io::Error::other("the writing thread failed"))??;
        encoded.map_err(io::Error::other)?;
        Ok(written)
    })
}

/// Writes blocks as they come and gives them back empty.
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
        // Nobody waits for the last ones.
        let _ = empty.send(block);
    }
    Ok((length, checksum.finalize()))
}

/// Gathers bytes into blocks and sends them to the writing thread.
struct Blocks {
    block: Vec<u8>,
    full: SyncSender<Vec<u8>>,
    empty: Receiver<Vec<u8>>,
    /// Blocks that may still be made.
    spare: usize,
}

impl Blocks {
    fn new(full: SyncSender<Vec<u8>>, empty: Receiver<Vec<u8>>) -> Self {
        Self { block: Vec::with_capacity(BLOCK), full, empty, spare: BLOCKS - 1 }
    }

    /// Sends the block and takes an empty one. Only a disk that has refused makes the other thread go away.
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
