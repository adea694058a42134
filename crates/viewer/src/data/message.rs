//! The binary format of all data that the page reads: a JSON head that lists typed arrays, followed
//! by the arrays.
//!
//! The first four bytes are the length of the head, little-endian. The head is padded with spaces
//! so that the arrays begin at a multiple of [`ALIGNMENT`], and so does every array, because a typed
//! array of JavaScript needs it.

use serde_json::{Map, Value, json};

/// Alignment of the arrays, bytes: that of the largest number.
const ALIGNMENT: usize = 8;

/// A number of a typed array.
pub trait Number: Copy {
    /// The name of the typed array of JavaScript.
    const ARRAY: &'static str;

    /// Appends the number, little-endian.
    fn append(self, bytes: &mut Vec<u8>);
}

macro_rules! numbers {
    ($($number:ty => $array:literal),+ $(,)?) => {
        $(impl Number for $number {
            const ARRAY: &'static str = $array;

            fn append(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
        })+
    };
}

numbers! {
    f64 => "Float64Array",
    f32 => "Float32Array",
    u32 => "Uint32Array",
    u16 => "Uint16Array",
    i16 => "Int16Array",
    u8 => "Uint8Array",
    i8 => "Int8Array",
}

/// A message under construction.
#[derive(Default)]
pub struct Message {
    head: Map<String, Value>,
    arrays: Map<String, Value>,
    data: Vec<u8>,
}

impl Message {
    /// Sets a value of the head.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.head.insert(key.to_owned(), value.into());
    }

    /// Appends an array.
    pub fn array<T: Number>(&mut self, name: &str, values: impl IntoIterator<Item = T>) {
        let start = self.data.len();
        values.into_iter().for_each(|value| value.append(&mut self.data));
        let length = (self.data.len() - start) / size_of::<T>();
        self.arrays.insert(name.to_owned(), json!({"type": T::ARRAY, "start": start, "length": length}));
        self.data.resize(self.data.len().next_multiple_of(ALIGNMENT), 0);
    }

    /// Returns the bytes.
    pub fn finish(mut self) -> Vec<u8> {
        self.head.insert("arrays".into(), Value::Object(self.arrays));
        let mut head = Value::Object(self.head).to_string().into_bytes();
        head.resize((4 + head.len()).next_multiple_of(ALIGNMENT) - 4, b' ');
        let mut bytes = Vec::with_capacity(4 + head.len() + self.data.len());
        (head.len() as u32).append(&mut bytes);
        bytes.extend_from_slice(&head);
        bytes.extend_from_slice(&self.data);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_aligned_and_found_by_the_head() {
        let mut message = Message::default();
        message.set("time", 0.5);
        message.array("small", [1u8, 2, 3]);
        message.array("large", [0.25f64, -1.0]);
        let bytes = message.finish();
        let length = u32::from_le_bytes(bytes[..4].try_into().expect("four bytes")) as usize;
        let head: Value = serde_json::from_slice(&bytes[4..4 + length]).expect("the head is JSON");
        assert_eq!(head["time"], 0.5);
        let start = 4 + length + head["arrays"]["large"]["start"].as_u64().expect("a start") as usize;
        assert_eq!(start % ALIGNMENT, 0);
        assert_eq!(bytes[start..start + 8], 0.25f64.to_le_bytes());
        assert_eq!(head["arrays"]["large"]["length"], 2);
        assert_eq!(bytes.len(), start + 16);
    }
}
