//! Writes a `.vtp` file: points, cells, and arrays on them.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use super::number::Number;
use crate::atomic_file;

/// The sections of a file that contain arrays, in the order of VTK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    PointData,
    CellData,
    Points,
    Verts,
    Lines,
    Polys,
}

impl Section {
    pub(crate) const ALL: [Self; 6] =
        [Self::PointData, Self::CellData, Self::Points, Self::Verts, Self::Lines, Self::Polys];

    /// Returns the name of the section in VTK.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::PointData => "PointData",
            Self::CellData => "CellData",
            Self::Points => "Points",
            Self::Verts => "Verts",
            Self::Lines => "Lines",
            Self::Polys => "Polys",
        }
    }
}

/// A named array of numbers in groups of `components`.
struct Array {
    section: Section,
    name: &'static str,
    number: &'static str,
    components: usize,
    bytes: Vec<u8>,
}

/// The contents of a file.
pub(crate) struct PolyData {
    step: u64,
    time: f64,
    points: usize,
    /// Cells by section: vertices, lines, polygons.
    cells: [usize; 3],
    arrays: Vec<Array>,
    /// Lists in the header, by name.
    lists: Vec<(&'static str, Vec<u32>)>,
    /// Default selection in ParaView, e.g. ` Scalars="speed"`.
    active: &'static str,
}

/// Largest number of points or corners in a file, which have 32-bit indices.
const MOST_CORNERS: usize = i32::MAX as usize;

impl PolyData {
    pub(crate) fn new(step: u64, time: f64, active: &'static str) -> Self {
        Self { step, time, points: 0, cells: [0; 3], arrays: Vec::new(), lists: Vec::new(), active }
    }

    /// Adds a short list to the header.
    pub(crate) fn list(&mut self, name: &'static str, numbers: &[u32]) {
        self.lists.push((name, numbers.to_vec()));
    }

    /// Adds an array.
    pub(crate) fn array<T: Number, const N: usize>(
        &mut self,
        section: Section,
        name: &'static str,
        values: impl Iterator<Item = [T; N]>,
    ) {
        let mut bytes = Vec::with_capacity(values.size_hint().0 * N * T::SIZE);
        for value in values {
            for number in value {
                number.put(&mut bytes);
            }
        }
        if section == Section::Points {
            self.points = bytes.len() / (N * T::SIZE);
        }
        self.arrays.push(Array { section, name, number: T::NAME, components: N, bytes });
    }

    /// Adds `count` cells of `corners` points each; `connectivity` lists their points.
    pub(crate) fn cells(
        &mut self,
        section: Section,
        count: usize,
        corners: usize,
        connectivity: impl Iterator<Item = u32>,
    ) -> io::Result<()> {
        if self.points.max(count * corners) > MOST_CORNERS {
            return Err(io::Error::other(format!("{} corners are too many for one file", count * corners)));
        }
        match section {
            Section::Verts => self.cells[0] = count,
            Section::Lines => self.cells[1] = count,
            _ => self.cells[2] = count,
        }
        self.array(section, "connectivity", connectivity.map(|point| [point as i32]));
        self.array(section, "offsets", (1..=count).map(|cell| [(cell * corners) as i32]));
        Ok(())
    }

    /// Writes the file atomically.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        atomic_file::write_buffered(path, |file| {
            file.write_all(self.head().as_bytes())?;
            for section in Section::ALL {
                for array in self.of(section) {
                    file.write_all(&(array.bytes.len() as u64).to_le_bytes())?;
                    file.write_all(&array.bytes)?;
                }
            }
            file.write_all(b"\n  </AppendedData>\n</VTKFile>\n")
        })
    }

    fn of(&self, section: Section) -> impl Iterator<Item = &Array> {
        self.arrays.iter().filter(move |array| array.section == section)
    }

    /// Returns the header, up to the first array.
    fn head(&self) -> String {
        let [verts, lines, polys] = self.cells;
        // The time is written with enough digits to be read back exactly.
        let mut head = format!(
            r#"<?xml version="1.0"?>
<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
  <PolyData>
    <FieldData>
      <DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="ascii">{:?}</DataArray>
      <DataArray type="Int64" Name="step" NumberOfTuples="1" format="ascii">{}</DataArray>
"#,
            self.time, self.step
        );
        for (name, numbers) in &self.lists {
            let count = numbers.len();
            let words: Vec<String> = numbers.iter().map(u32::to_string).collect();
            let _ = writeln!(
                head,
                r#"      <DataArray type="UInt32" Name="{name}" NumberOfTuples="{count}" format="ascii">{}</DataArray>"#,
                words.join(" ")
            );
        }
        let _ = writeln!(
            head,
            r#"    </FieldData>
    <Piece NumberOfPoints="{}" NumberOfVerts="{verts}" NumberOfLines="{lines}" NumberOfStrips="0" NumberOfPolys="{polys}">"#,
            self.points
        );
        let mut offset = 0;
        for section in Section::ALL {
            if self.of(section).next().is_none() {
                continue;
            }
            let active = if section == Section::PointData { self.active } else { "" };
            let _ = writeln!(head, "      <{}{active}>", section.name());
            for Array { name, number, components, bytes, .. } in self.of(section) {
                let _ = writeln!(
                    head,
                    r#"        <DataArray type="{number}" Name="{name}" NumberOfComponents="{components}" format="appended" offset="{offset}"/>"#
                );
                offset += size_of::<u64>() + bytes.len();
            }
            let _ = writeln!(head, "      </{}>", section.name());
        }
        head += "    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n_";
        head
    }
}
