//! The numbers of a `.vtp` file.

/// A number type with its VTK name and its little-endian bytes.
pub(crate) trait Number: Copy {
    /// Name of the type in VTK.
    const NAME: &'static str;
    /// Size, bytes.
    const SIZE: usize;
    /// Appends the bytes of the number.
    fn put(self, bytes: &mut Vec<u8>);
    /// Reads the number from its bytes.
    fn get(bytes: &[u8]) -> Option<Self>;
}

macro_rules! numbers {
    ($($type:ident $name:literal),+) => {$(
        impl Number for $type {
            const NAME: &'static str = $name;
            const SIZE: usize = size_of::<$type>();

            #[inline]
            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }

            #[inline]
            fn get(bytes: &[u8]) -> Option<Self> {
                Some(Self::from_le_bytes(bytes.try_into().ok()?))
            }
        }
    )+};
}

numbers!(u8 "UInt8", u16 "UInt16", u32 "UInt32", i32 "Int32", f32 "Float32", f64 "Float64");
