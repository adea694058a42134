//! Parser of quantities with units: `"2.5 mm"`, `"9.81 m/s2"`, `"30 rpm"`.
//!
//! A quantity is a number, an optional space, and units joined by `*` or `/`, each with an optional
//! integer power, as in `m/s2`, `m/s^2` and `kg/m3`. The result is an SI value and its dimension.

use std::fmt;

/// Powers of kilogram, metre, second and radian. The radian is included to distinguish an angular
/// velocity from a frequency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dimension([i8; 4]);

impl Dimension {
    /// Creates a dimension from its powers of kg, m, s and rad.
    pub const fn new(kg: i8, m: i8, s: i8, rad: i8) -> Self {
        Self([kg, m, s, rad])
    }

    /// Returns the product with a power of another dimension; `None` if a power overflows.
    fn times(self, other: Self, power: i8) -> Option<Self> {
        let mut product = self;
        for (p, o) in product.0.iter_mut().zip(other.0) {
            *p = p.checked_add(o.checked_mul(power)?)?;
        }
        Some(product)
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, ..)) = KINDS.iter().find(|(_, dimension)| dimension == self) {
            return f.write_str(name);
        }
        f.write_str("a quantity in")?;
        for (symbol, power) in ["kg", "m", "s", "rad"].into_iter().zip(self.0) {
            match power {
                0 => {}
                1 => write!(f, " {symbol}")?,
                _ => write!(f, " {symbol}^{power}")?,
            }
        }
        Ok(())
    }
}

/// Dimensions that have a name, with the article of the name.
const KINDS: &[(&str, Dimension)] = &[
    ("a plain number", Dimension::new(0, 0, 0, 0)),
    ("a length", Dimension::new(0, 1, 0, 0)),
    ("an area", Dimension::new(0, 2, 0, 0)),
    ("a volume", Dimension::new(0, 3, 0, 0)),
    ("a mass", Dimension::new(1, 0, 0, 0)),
    ("a time", Dimension::new(0, 0, 1, 0)),
    ("a velocity", Dimension::new(0, 1, -1, 0)),
    ("an acceleration", Dimension::new(0, 1, -2, 0)),
    ("a density", Dimension::new(1, -3, 0, 0)),
    ("a force", Dimension::new(1, 1, -2, 0)),
    ("a pressure", Dimension::new(1, -1, -2, 0)),
    ("a stiffness", Dimension::new(1, 0, -2, 0)),
    ("an energy", Dimension::new(1, 2, -2, 0)),
    ("a frequency", Dimension::new(0, 0, -1, 0)),
    ("a mass flow", Dimension::new(1, 0, -1, 0)),
    ("an angle", Dimension::new(0, 0, 0, 1)),
    ("an angular velocity", Dimension::new(0, 0, -1, 1)),
];

/// Units: symbol, SI value, dimension, and a flag that is true if a prefix may precede the symbol.
const UNITS: &[(&str, f64, Dimension, bool)] = &[
    ("m", 1.0, Dimension::new(0, 1, 0, 0), true),
    ("g", 1e-3, Dimension::new(1, 0, 0, 0), true),
    ("t", 1e3, Dimension::new(1, 0, 0, 0), false),
    ("s", 1.0, Dimension::new(0, 0, 1, 0), true),
    ("min", 60.0, Dimension::new(0, 0, 1, 0), false),
    ("h", 3600.0, Dimension::new(0, 0, 1, 0), false),
    ("N", 1.0, Dimension::new(1, 1, -2, 0), true),
    ("Pa", 1.0, Dimension::new(1, -1, -2, 0), true),
    ("J", 1.0, Dimension::new(1, 2, -2, 0), true),
    ("Hz", 1.0, Dimension::new(0, 0, -1, 0), true),
    ("rad", 1.0, Dimension::new(0, 0, 0, 1), false),
    ("deg", std::f64::consts::PI / 180.0, Dimension::new(0, 0, 0, 1), false),
    ("rev", std::f64::consts::TAU, Dimension::new(0, 0, 0, 1), false),
    ("rpm", std::f64::consts::TAU / 60.0, Dimension::new(0, 0, -1, 1), false),
];

/// Prefixes and their factors. Two different characters are in use for micro.
const PREFIXES: &[(&str, f64)] = &[
    ("n", 1e-9),
    ("u", 1e-6),
    ("µ", 1e-6),
    ("μ", 1e-6),
    ("m", 1e-3),
    ("c", 1e-2),
    ("d", 1e-1),
    ("k", 1e3),
    ("M", 1e6),
    ("G", 1e9),
];

/// Returns the SI value and the dimension of a text, or the reason for which it is invalid.
pub fn parse(text: &str) -> Result<(f64, Dimension), String> {
    let text = text.trim();
    let (number, units) = split_number(text).ok_or_else(|| format!("`{text}` must begin with a number"))?;
    let mut value = number;
    let mut dimension = Dimension::default();
    let mut rest = units.trim_start();
    let mut sign = 1;
    while !rest.is_empty() {
        let end = rest.find(['*', '/']).unwrap_or(rest.len());
        let (symbol, power) = split_power(rest[..end].trim());
        let (size, unit) = unit(symbol).ok_or_else(|| {
            let hint = unit_hint(symbol).map_or_else(String::new, |hint| format!("; {hint}"));
            format!("`{text}`: unknown unit `{symbol}`{hint}")
        })?;
        let power =
            power.ok_or_else(|| format!("`{text}`: the power of `{symbol}` must be an integer from -9 to 9"))?;
        let too_high = || format!("`{text}`: the power of `{symbol}` is too high");
        dimension = dimension.times(unit, sign * power).ok_or_else(too_high)?;
        // `scaled` divides by 1000 instead of multiplying by 1/1000, which a double cannot
        // represent.
        let factor = size.powi(i32::from(power));
        value = if sign > 0 { scaled(value, factor) } else { scaled(value, 1.0 / factor) };
        sign = if rest[end..].starts_with('/') { -1 } else { 1 };
        match rest.get(end + 1..) {
            Some(more) if more.trim().is_empty() => return Err(format!("`{text}` ends with `{}`", &rest[end..=end])),
            Some(more) => rest = more,
            None => rest = "",
        }
    }
    if value.is_finite() { Ok((value, dimension)) } else { Err(format!("`{text}` is not a finite number")) }
}

/// Names and foreign units that users write, with the remedy.
const OTHER_UNITS: &[(&[&str], &str)] = &[
    (&["metre", "meter"], "write `m`"),
    (&["gram"], "write `g`"),
    (&["kilogram", "kilo"], "write `kg`"),
    (&["second", "sec"], "write `s`"),
    (&["minute"], "write `min`"),
    (&["hour", "hr"], "write `h`"),
    (&["newton"], "write `N`"),
    (&["pascal"], "write `Pa`"),
    (&["degree", "°"], "write `deg`"),
    (&["radian"], "write `rad`"),
    (&["revolution"], "write `rev`"),
    (&["micron"], "write `um`"),
    (&["ton", "tonne"], "write `t` for 1000 kg"),
    (&["inch", "inche", "in"], "1 inch is 25.4 mm"),
    (&["ft", "foot", "feet"], "1 foot is 0.3048 m"),
    (&["lb", "pound"], "1 pound is 0.45359237 kg"),
    (&["psi"], "1 psi is 6.895 kPa"),
    (&["bar"], "1 bar is 0.1 MPa"),
    (&["l", "L", "litre", "liter"], "1 litre is 1e-3 m3"),
];

/// Returns a hint for an unknown unit: the symbol of a unit that was written as a word or in the
/// wrong case, or the conversion of a unit that granum does not have.
fn unit_hint(symbol: &str) -> Option<String> {
    let word = symbol.to_lowercase();
    let singular = word.strip_suffix('s').filter(|word| word.len() > 1).unwrap_or(&word);
    let is_named = |names: &&[&str]| names.iter().any(|name| [symbol, &word, singular].contains(name));
    if let Some((_, hint)) = OTHER_UNITS.iter().find(|(names, _)| is_named(names)) {
        return Some((*hint).to_owned());
    }
    let known = UNITS.iter().flat_map(|(name, .., prefixes)| {
        let with_prefix = PREFIXES.iter().filter(|_| *prefixes).map(move |(prefix, _)| format!("{prefix}{name}"));
        std::iter::once((*name).to_owned()).chain(with_prefix)
    });
    let mut same = known.filter(|name| name.to_lowercase() == word);
    same.next().map(|name| format!("did you mean `{name}`?"))
}

/// Returns `value * factor`, rounded only once if the factor is the inverse of an integer: "2.5 mm"
/// is the double nearest to 0.0025.
fn scaled(value: f64, factor: f64) -> f64 {
    let inverse = (1.0 / factor).round();
    if factor < 1.0 && inverse < 1e15 && 1.0 / inverse == factor { value / inverse } else { value * factor }
}

/// Splits a text into the number at its start and the rest.
fn split_number(text: &str) -> Option<(f64, &str)> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
    let mut end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    // The `e` of a unit is not an exponent: the longest start that is a number counts.
    while end > 0 {
        if let Ok(number) = text[..end].parse() {
            return Some((number, &text[end..]));
        }
        end -= 1;
    }
    None
}

/// Splits `s2` or `s^2` into `s` and 2; the power is `None` if it is invalid.
fn split_power(symbol: &str) -> (&str, Option<i8>) {
    match symbol.find(['^', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) {
        Some(at) => {
            let power = symbol[at..].trim_start_matches('^').parse().ok();
            (symbol[..at].trim_end(), power.filter(|p: &i8| (-9..=9).contains(p)))
        }
        None => (symbol, Some(1)),
    }
}

/// Returns the SI value and the dimension of a unit with an optional prefix.
fn unit(symbol: &str) -> Option<(f64, Dimension)> {
    let whole = UNITS.iter().find(|(name, ..)| *name == symbol);
    if let Some(&(_, size, dimension, _)) = whole {
        return Some((size, dimension));
    }
    PREFIXES.iter().find_map(|&(prefix, factor)| {
        let rest = symbol.strip_prefix(prefix)?;
        let &(_, size, dimension, _) = UNITS.iter().find(|(name, _, _, prefixes)| *prefixes && *name == rest)?;
        Some((scaled(factor, size), dimension))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> f64 {
        parse(text).unwrap().0
    }

    #[test]
    fn values_are_correctly_rounded() {
        for (text, si) in [
            ("2.5 mm", 0.0025),
            ("2.5mm", 0.0025),
            ("1 ms", 0.001),
            ("14 us", 14e-6),
            ("14 µs", 14e-6),
            ("9.81 m/s2", 9.81),
            ("9.81 m/s^2", 9.81),
            ("-3 cm/s", -0.03),
            ("2.5 g/cm3", 2500.0),
            ("2500 kg/m3", 2500.0),
            ("2.5 t/m3", 2500.0),
            ("70 GPa", 70e9),
            ("100 N/m", 100.0),
            ("0.1 N/mm", 100.0),
            ("1e-3 s", 1e-3),
            ("2 min", 120.0),
            ("50 Hz", 50.0),
            ("1 kg*m*s-2", 1.0),
        ] {
            let error = (value(text) - si).abs() / si.abs();
            assert!(error < 4e-16, "{text}: {} is not {si}", value(text));
        }
        assert_eq!(value("2.5 mm"), 0.0025);
        assert_eq!(value("1.4e-5 s"), 1.4e-5);
        assert!((value("30 rpm") - std::f64::consts::PI).abs() < 1e-15);
        assert!((value("180 deg") - std::f64::consts::PI).abs() < 1e-15);
        assert!((value("0.5 rev/s") - std::f64::consts::PI).abs() < 1e-15);
    }

    #[test]
    fn dimensions_are_distinguished() {
        let kind = |text: &str| parse(text).unwrap().1.to_string();
        assert_eq!(kind("2.5 mm"), "a length");
        assert_eq!(kind("30 rpm"), "an angular velocity");
        assert_eq!(kind("30 Hz"), "a frequency");
        assert_eq!(kind("1 Pa*m"), "a stiffness");
        assert_eq!(kind("1"), "a plain number");
        assert_eq!(kind("1 m2*s"), "a quantity in m^2 s");
    }

    #[test]
    fn unknown_units_get_a_hint() {
        let error = |text: &str| parse(text).unwrap_err();
        assert_eq!(error("2 MM"), "`2 MM`: unknown unit `MM`; did you mean `mm`?");
        assert_eq!(error("2 inches"), "`2 inches`: unknown unit `inches`; 1 inch is 25.4 mm");
        assert_eq!(error("2 inch"), "`2 inch`: unknown unit `inch`; 1 inch is 25.4 mm");
        assert_eq!(error("2 seconds"), "`2 seconds`: unknown unit `seconds`; write `s`");
        assert_eq!(error("2 kPA"), "`2 kPA`: unknown unit `kPA`; did you mean `kPa`?");
        assert_eq!(error("90 °"), "`90 °`: unknown unit `°`; write `deg`");
    }

    #[test]
    fn bad_texts_are_explained() {
        let error = |text: &str| parse(text).unwrap_err();
        assert_eq!(error("mm"), "`mm` must begin with a number");
        assert_eq!(error(""), "`` must begin with a number");
        assert_eq!(error("2 furlong"), "`2 furlong`: unknown unit `furlong`");
        assert_eq!(error("2 m/"), "`2 m/` ends with `/`");
        assert_eq!(error("2 /s"), "`2 /s`: unknown unit ``");
        assert_eq!(error("2 m^x"), "`2 m^x`: the power of `m` must be an integer from -9 to 9");
        assert_eq!(error("1e400 m"), "`1e400 m` is not a finite number");
        assert_eq!(error("2 m s"), "`2 m s`: unknown unit `m s`");
        assert_eq!(error("nan m"), "`nan m` must begin with a number");
        assert!(parse("1 m9*m9*m9*m9*m9*m9*m9*m9*m9*m9*m9*m9*m9*m9*m9").unwrap_err().contains("too high"));
        // Texts in any script must not break the slicing.
        assert!(parse("2 м").is_err());
        assert!(parse("2 m/µ").is_err());
    }
}
