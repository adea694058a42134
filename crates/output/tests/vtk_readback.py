"""Reads the frames of a run with VTK, as ParaView does, and holds them against the tables that granum exports.

Usage: vtk_readback.py RUN TABLES EXPORT PICTURE
RUN is the folder of a run, TABLES holds `granum export --to csv --frame all`, EXPORT holds the last frame as vtp with
surfaces and as stl, and PICTURE is the png to be rendered, without a screen. Needs Python 3 and vtk, nothing else.
"""

import csv
import math
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import vtk

# Part of a picture that grains must cover. An empty picture has none; grains of this scene fill a fifth and more.
LEAST_COVER = 0.1

# What triangles with corners on a ball miss of its volume, at the detail that is exported: 0.6 %.
STL_VOLUME = 0.01

# Roundings of single precision, in which glyphs are written.
SINGLE = 1e-6


def check(condition, what):
    if not condition:
        sys.exit(f"vtk_readback: {what}")


def read(path):
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(str(path))
    reader.Update()
    check(reader.GetErrorCode() == 0, f"VTK cannot read {path}")
    return reader.GetOutput()


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def compare(path, array, rows, columns):
    """Every number of an array against its columns of the table: equal to the last bit."""
    check(array is not None, f"{path} lacks the array of {columns}")
    check(array.GetNumberOfTuples() == len(rows), f"{path}: {columns}: {array.GetNumberOfTuples()} of {len(rows)} rows")
    check(array.GetNumberOfComponents() == len(columns), f"{path}: {columns}: wrong number of components")
    for k, row in enumerate(rows):
        wanted = tuple(float(row[column]) for column in columns)
        check(array.GetTuple(k) == wanted, f"{path}: {columns} of row {k}: {array.GetTuple(k)}, not {wanted}")


def compare_bodies(path, rows):
    data = read(path)
    check(data.GetNumberOfVerts() == len(rows), f"{path}: a point for each body")
    arrays = data.GetPointData()
    compare(path, data.GetPoints().GetData(), rows, ["x", "y", "z"])
    compare(path, arrays.GetArray("orientation"), rows, ["qw", "qx", "qy", "qz"])
    compare(path, arrays.GetArray("velocity"), rows, ["vx", "vy", "vz"])
    compare(path, arrays.GetArray("spin"), rows, ["wx", "wy", "wz"])
    compare(path, arrays.GetArray("id"), rows, ["id"])
    compare(path, arrays.GetArray("shape"), rows, ["shape"])
    # Walls have no finite mass or size and are written with 0.
    finite = [{key: "0" if value == "inf" else value for key, value in row.items()} for row in rows]
    compare(path, arrays.GetArray("mass"), finite, ["mass"])
    for k, row in enumerate(finite):
        radius = float(row["radius"])
        check(abs(arrays.GetArray("radius").GetValue(k) - radius) <= SINGLE * radius, f"{path}: radius of row {k}")
        speed = math.hypot(*(float(row[v]) for v in ("vx", "vy", "vz")))
        check(abs(arrays.GetArray("speed").GetValue(k) - speed) <= SINGLE * speed, f"{path}: speed of row {k}")
    return data


def compare_contacts(path, rows):
    data = read(path)
    check(data.GetNumberOfLines() == len(rows), f"{path}: a line for each contact")
    arrays = data.GetCellData()
    compare(path, arrays.GetArray("a"), rows, ["a"])
    compare(path, arrays.GetArray("b"), rows, ["b"])
    compare(path, arrays.GetArray("point"), rows, ["x", "y", "z"])
    compare(path, arrays.GetArray("normal"), rows, ["nx", "ny", "nz"])
    compare(path, arrays.GetArray("force"), rows, ["fx", "fy", "fz"])
    compare(path, arrays.GetArray("couple"), rows, ["cx", "cy", "cz"])
    compare(path, arrays.GetArray("gap"), rows, ["gap"])
    for k, row in enumerate(rows):
        force = float(row["normal_force"])
        check(abs(arrays.GetArray("normal_force").GetValue(k) - force) <= SINGLE * force, f"{path}: force of row {k}")
    return data


def compare_list(path, prefix, count):
    """The .pvd names every frame with the time that the frame has."""
    sets = xml.parse(path).getroot().findall("./Collection/DataSet")
    check(len(sets) == count, f"{path}: {len(sets)} of {count} frames")
    for number, entry in enumerate(sets):
        check(entry.get("file") == f"{prefix}_{number:06}.vtp", f"{path}: entry {number}")
        time = read(path.parent / entry.get("file")).GetFieldData().GetArray("TimeValue").GetValue(0)
        check(float(entry.get("timestep")) == time, f"{path}: time of entry {number}")


def glyphs(bodies, source):
    glyph = vtk.vtkTensorGlyph()
    glyph.SetInputData(bodies)
    glyph.SetSourceData(source)
    glyph.ExtractEigenvaluesOff()
    glyph.ColorGlyphsOn()
    glyph.SetColorModeToScalars()
    glyph.Update()
    return glyph.GetOutput()


def rotate(q, v):
    w, x, y, z = q
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    c = [y * t[2] - z * t[1], z * t[0] - x * t[2], x * t[1] - y * t[0]]
    return [v[k] + w * t[k] + c[k] for k in range(3)]


def check_glyphs(bodies, rows):
    """A glyph takes each body axis to where the body's orientation takes it, as long as the body is."""
    axes = ([1, 0, 0], [0, 1, 0], [0, 0, 1])
    points, source = vtk.vtkPoints(), vtk.vtkPolyData()
    verts = vtk.vtkCellArray()
    for axis in axes:
        verts.InsertNextCell(1)
        verts.InsertCellPoint(points.InsertNextPoint(axis))
    source.SetPoints(points)
    source.SetVerts(verts)
    drawn = glyphs(bodies, source)
    turned = 0
    for k, row in enumerate(rows):
        semi_axes = bodies.GetPointData().GetArray("semi_axes").GetTuple(k)
        centre = [float(row[c]) for c in ("x", "y", "z")]
        q = [float(row[c]) for c in ("qw", "qx", "qy", "qz")]
        for j, axis in enumerate(axes):
            wanted = [c + semi_axes[j] * r for c, r in zip(centre, rotate(q, axis))]
            error = math.dist(wanted, drawn.GetPoint(3 * k + j))
            # VTK places glyphs in single precision.
            check(error <= 10 * SINGLE * (max(map(abs, centre)) + semi_axes[j]), f"glyph of row {k}: off by {error} m")
            turned += semi_axes[j] > 0 and math.dist(rotate(q, axis), axis) > 0.01
    check(turned > len(rows) // 2, "the grains have hardly turned, so that this says nothing about their glyphs")


def check_surfaces(folder, number, rows):
    radii = [float(row["radius"]) for row in rows if row["radius"] != "inf"]
    balls = sum(4 / 3 * math.pi * radius**3 for radius in radii)
    reader = vtk.vtkSTLReader()
    reader.SetFileName(str(folder / f"surfaces_{number:06}.stl"))
    reader.Update()
    properties = vtk.vtkMassProperties()
    properties.SetInputConnection(reader.GetOutputPort())
    volume = properties.GetVolume()
    check(abs(volume / balls - 1) < STL_VOLUME, f"stl: {volume} m3, the grains have {balls} m3")
    surfaces = read(folder / f"surfaces_{number:06}.vtp")
    ids = surfaces.GetCellData().GetArray("id")
    seen = {ids.GetValue(k) for k in range(ids.GetNumberOfTuples())}
    check(seen >= {int(row["id"]) for row in rows if row["radius"] != "inf"}, "every grain has its surface")


def bounds(rows):
    """The box around all grains, without walls."""
    grains = [row for row in rows if row["radius"] != "inf"]
    ends = [[float(row[c]) + s * float(row["radius"]) for row in grains for s in (-1, 1)] for c in ("x", "y", "z")]
    return [end for axis in ends for end in (min(axis), max(axis))]


def render(bodies, contacts, rows, picture):
    """Grains by glyphs and force chains by tubes; says which part of the picture is not background."""
    sphere = vtk.vtkSphereSource()
    sphere.SetRadius(1)
    sphere.SetThetaResolution(16)
    sphere.SetPhiResolution(12)
    sphere.Update()
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputData(glyphs(bodies, sphere.GetOutput()))
    mapper.SetScalarRange(bodies.GetPointData().GetArray("speed").GetRange())
    grains = vtk.vtkActor()
    grains.SetMapper(mapper)
    tube = vtk.vtkTubeFilter()
    tube.SetInputData(contacts)
    tube.SetRadius(2e-4)
    # Grains are half clear, so that the chains inside them show.
    grains.GetProperty().SetOpacity(0.6)
    chains = vtk.vtkActor()
    chains.SetMapper(vtk.vtkPolyDataMapper())
    chains.GetMapper().SetInputConnection(tube.GetOutputPort())
    renderer = vtk.vtkRenderer()
    renderer.SetBackground(1, 1, 1)
    renderer.AddActor(grains)
    renderer.AddActor(chains)
    window = vtk.vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetSize(800, 600)
    window.AddRenderer(renderer)
    camera = renderer.GetActiveCamera()
    camera.SetPosition(0.3, -1, 0.4)
    camera.SetFocalPoint(0, 0, 0)
    camera.SetViewUp(0, 0, 1)
    renderer.ResetCamera(bounds(rows))
    window.Render()
    grab = vtk.vtkWindowToImageFilter()
    grab.SetInput(window)
    grab.ReadFrontBufferOff()
    grab.Update()
    writer = vtk.vtkPNGWriter()
    writer.SetFileName(str(picture))
    writer.SetInputData(grab.GetOutput())
    writer.Write()
    pixels = grab.GetOutput().GetPointData().GetScalars()
    count = pixels.GetNumberOfTuples()
    return sum(pixels.GetTuple3(k) != (255.0, 255.0, 255.0) for k in range(count)) / count


def main():
    run, tables, export, picture = map(Path, sys.argv[1:])
    frames = sorted((run / "frames").glob("frame_*.vtp"))
    check(frames, f"{run} has no frames")
    touching = 0
    for number, path in enumerate(frames):
        rows = table(tables / f"bodies_{number:06}.csv")
        bodies = compare_bodies(path, rows)
        contact_rows = table(tables / f"contacts_{number:06}.csv")
        contacts = compare_contacts(run / "frames" / f"contacts_{number:06}.vtp", contact_rows)
        touching += len(contact_rows)
    check(touching > 0, "no bodies touch in any frame, so that nothing was checked")
    compare_list(run / "frames" / "frames.pvd", "frame", len(frames))
    compare_list(run / "frames" / "contacts.pvd", "contacts", len(frames))
    check_glyphs(bodies, rows)
    check_surfaces(export, len(frames) - 1, rows)
    cover = render(bodies, contacts, rows, picture)
    check(cover > LEAST_COVER, f"{picture}: grains cover {cover:.1%} of the picture")
    print(
        f"VTK {vtk.vtkVersion.GetVTKVersion()} read {len(frames)} frames, {len(rows)} bodies and {touching} contacts as "
        f"granum wrote them, to the last bit; grains cover {cover:.0%} of {picture}"
    )


main()
