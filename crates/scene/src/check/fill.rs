//! Checks of grains that fill a volume.

use super::{check_box, positive};
use crate::error::SceneError;
use crate::format::{Arrangement, FillTable, Grains, Scene, SurfaceError, SurfaceSource};
use crate::read::suggest;
use crate::value::distribution::Number;

impl Scene {
    /// Checks a `[grains.fill]` table, except for what depends on the surfaces themselves.
    pub(super) fn check_fill(&self, path: &str, grains: &Grains, fill: &FillTable) -> Result<(), SceneError> {
        let source = &self.source;
        let whole = format!("{path}.fill");
        let field = |key: &str| format!("{whole}.{key}");
        let error = |key: &str, reason: &str| Err(source.error(&field(key), reason));
        if self.is_planar() {
            return Err(source.error(&whole, "has no meaning in a planar scene, which has no surfaces"));
        }
        match (&fill.inside, &fill.between) {
            (Some(name), None) => self.check_surface_name(&field("inside"), name)?,
            (None, Some([lower, upper])) => {
                self.check_surface_name(&field("between[0]"), lower)?;
                self.check_surface_name(&field("between[1]"), upper)?;
                if lower == upper {
                    return error("between[1]", "must be another surface than the lower one");
                }
            }
            (None, None) => {
                let reason = "needs inside = \"SURFACE\", or between = [\"LOWER\", \"UPPER\"]";
                return Err(source.error(&whole, reason));
            }
            (Some(_), Some(_)) => return error("between", "must not be given together with `inside`"),
        }
        match fill.up {
            Some(_) if fill.inside.is_some() => return error("up", "has no effect with `inside`"),
            Some(up) if up.try_normalize().is_none() => return error("up", "must be a finite vector that is not zero"),
            _ => {}
        }
        match (fill.min, fill.max) {
            (Some(min), Some(max)) => check_box(source, &whole, min, max, false)?,
            (None, None) => {}
            _ => return Err(source.error(&whole, "needs both `min` and `max`, or none of them")),
        }
        let amounts = [("count", grains.count.is_some()), ("mass", grains.mass.is_some())];
        let given = amounts.iter().find(|(_, given)| *given).map(|(key, _)| *key);
        match fill.arrangement {
            Arrangement::Lattice => {
                if fill.fraction.is_some() {
                    return error("fraction", "needs arrangement = \"random\": a lattice fills the whole volume");
                }
                if !grains.shape.is_fixed() || !matches!(grains.size, None | Some(Number::Fixed(_))) {
                    let reason =
                        "must be \"random\" for grains of several sizes: a lattice has grains of one shape and size";
                    return Err(source.error(&self.given(&whole, "arrangement"), reason));
                }
                if let Some(gap) = fill.gap.filter(|gap| !(gap.is_finite() && *gap >= 0.0)) {
                    return error("gap", &format!("must be at least 0, not {gap}"));
                }
                match fill.rotate.map(|rotate| rotate.quaternion()) {
                    Some(Err(SurfaceError { field, reason })) => error(&field, &reason),
                    _ => Ok(()),
                }
            }
            Arrangement::Random => {
                for (key, is_given) in [("rotate", fill.rotate.is_some()), ("gap", fill.gap.is_some())] {
                    if is_given {
                        return error(key, "has no effect with arrangement = \"random\"");
                    }
                }
                match (fill.fraction, given) {
                    (Some(_), Some(key)) => error("fraction", &format!("must not be given together with `{key}`")),
                    (Some(fraction), None) if fraction >= 1.0 => {
                        error("fraction", &format!("must be below 1, not {fraction}"))
                    }
                    (Some(fraction), None) => positive(source, &field("fraction"), fraction, "fraction"),
                    (None, None) => Err(source.error(
                        path,
                        "missing number of grains; give count = 1000, mass = \"2 kg\" or fill.fraction = 0.2",
                    )),
                    (None, Some(_)) => Ok(()),
                }
            }
        }
    }

    /// Returns the field of a key, or that of its table if the key is not given.
    fn given(&self, table: &str, key: &str) -> String {
        let field = format!("{table}.{key}");
        if self.source.has(&field) { field } else { table.to_owned() }
    }

    /// Checks that a surface that is no wall has no property of a wall.
    pub(super) fn check_bound(&self, path: &str, surface: &SurfaceSource) -> Result<(), SceneError> {
        let error = |key: &str, reason: &str| Err(self.source.error(&format!("{path}.{key}"), reason));
        for (key, is_given) in [
            ("material", !surface.material.is_empty()),
            ("sides", surface.sides != 1),
            ("motion", surface.motion.is_some()),
            ("wear", surface.wear),
        ] {
            if is_given {
                return error(key, "has no effect with wall = false");
            }
        }
        Ok(())
    }

    /// Returns warnings about surfaces that are no walls and bound no volume.
    pub(super) fn unused_surfaces(&self) -> Vec<String> {
        let fills = self.grains.iter().filter_map(|grains| grains.fill.as_ref());
        let names: Vec<&String> = fills.flat_map(|fill| fill.between.iter().flatten().chain(&fill.inside)).collect();
        let surfaces = self.surfaces.iter().enumerate().filter(|(_, surface)| !surface.wall);
        let unused = surfaces.filter(|(_, surface)| !surface.name.as_ref().is_some_and(|name| names.contains(&name)));
        let warning =
            |(index, _)| format!("surfaces[{index}] has no effect: it is no wall, and no [grains.fill] names it");
        unused.map(warning).collect()
    }

    /// Checks that a surface of this name exists.
    fn check_surface_name(&self, field: &str, name: &str) -> Result<(), SceneError> {
        let known: Vec<&str> = self.surfaces.iter().filter_map(|surface| surface.name.as_deref()).collect();
        if known.contains(&name) {
            return Ok(());
        }
        let hint = match suggest::nearest(name, &known) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => "no [[surfaces]] table has a name; give it name = \"..\"".to_owned(),
            None => format!("expected one of {}", suggest::list(&known)),
        };
        Err(self.source.error(field, format!("unknown surface `{name}`; {hint}")))
    }
}
