//! Numbers of a shape that are fixed or drawn from a distribution for each grain.

use std::borrow::Cow;
use std::fmt;

use granum_geometry::random::Random;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize as DeserializeDerive, Serialize, Serializer};

use crate::value::quantity::{self, Kind, Length};

/// Default bounds of a normal or lognormal distribution, in standard deviations. They contain
/// 99.7 % of the values.
const CUT: f64 = 3.0;

/// Smallest probability that must lie between the bounds: values outside are drawn again, which
/// would take too long for a smaller one.
const LEAST_PROBABILITY: f64 = 0.01;

/// A length or a plain number of a shape, or a list of them.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// The same number for all grains.
    Fixed(f64),
    /// A number that is drawn for each grain.
    Drawn(Distribution),
    /// A list of numbers.
    List(Vec<Number>),
}

/// The distribution of a number over the grains.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// Uniform between two bounds.
    Uniform(Bounds),
    /// Normal, truncated at its bounds.
    Normal(Normal),
    /// Lognormal, truncated at its bounds.
    Lognormal(Lognormal),
    /// A sieve curve: points of size and fraction of the mass that is smaller, linear between them.
    Sieve(Vec<[f64; 2]>),
}

/// `{ min, max }`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, DeserializeDerive)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    min: f64,
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    max: f64,
}

/// `normal = { mean, sd, min, max }`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, DeserializeDerive)]
#[serde(deny_unknown_fields)]
pub struct Normal {
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    mean: f64,
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    sd: f64,
    #[serde(default, deserialize_with = "quantity::optional::<Length, _>", skip_serializing_if = "Option::is_none")]
    min: Option<f64>,
    #[serde(default, deserialize_with = "quantity::optional::<Length, _>", skip_serializing_if = "Option::is_none")]
    max: Option<f64>,
}

/// `lognormal = { median, sigma, min, max }`; sigma is the standard deviation of the natural
/// logarithm.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, DeserializeDerive)]
#[serde(deny_unknown_fields)]
pub struct Lognormal {
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    median: f64,
    sigma: f64,
    #[serde(default, deserialize_with = "quantity::optional::<Length, _>", skip_serializing_if = "Option::is_none")]
    min: Option<f64>,
    #[serde(default, deserialize_with = "quantity::optional::<Length, _>", skip_serializing_if = "Option::is_none")]
    max: Option<f64>,
}

/// The keys of a distribution in a file; exactly one form may be given.
#[derive(Default, Serialize, DeserializeDerive)]
#[serde(deny_unknown_fields, default)]
struct Form {
    #[serde(deserialize_with = "quantity::optional::<Length, _>", skip_serializing_if = "Option::is_none")]
    min: Option<f64>,
    #[serde(deserialize_with = "quantity::optional::<Length, _>", skip_serializing_if = "Option::is_none")]
    max: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uniform: Option<Bounds>,
    #[serde(skip_serializing_if = "Option::is_none")]
    normal: Option<Normal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lognormal: Option<Lognormal>,
    #[serde(deserialize_with = "quantity::curve", skip_serializing_if = "Option::is_none")]
    sieve: Option<Vec<[f64; 2]>>,
}

impl Form {
    fn distribution(self) -> Result<Distribution, &'static str> {
        const FORMS: &str = "give exactly one of { min, max }, { normal = .. }, { lognormal = .. } and { sieve = .. }";
        match self {
            Form { min: Some(min), max: Some(max), uniform: None, normal: None, lognormal: None, sieve: None } => {
                Ok(Distribution::Uniform(Bounds { min, max }))
            }
            Form { min: None, max: None, uniform, normal, lognormal, sieve } => {
                match (uniform, normal, lognormal, sieve) {
                    (Some(bounds), None, None, None) => Ok(Distribution::Uniform(bounds)),
                    (None, Some(normal), None, None) => Ok(Distribution::Normal(normal)),
                    (None, None, Some(lognormal), None) => Ok(Distribution::Lognormal(lognormal)),
                    (None, None, None, Some(curve)) => Ok(Distribution::Sieve(curve)),
                    _ => Err(FORMS),
                }
            }
            Form { uniform: None, normal: None, lognormal: None, sieve: None, .. } => {
                Err("a range needs both `min` and `max`")
            }
            _ => Err(FORMS),
        }
    }
}

impl Distribution {
    /// Returns the smallest and the largest value.
    pub fn bounds(&self) -> [f64; 2] {
        match self {
            Self::Uniform(Bounds { min, max }) => [*min, *max],
            Self::Normal(n) => [n.min.unwrap_or(n.mean - CUT * n.sd), n.max.unwrap_or(n.mean + CUT * n.sd)],
            Self::Lognormal(n) => {
                let at = |sigmas: f64| n.median * libm::exp(sigmas * n.sigma);
                [n.min.unwrap_or_else(|| at(-CUT)), n.max.unwrap_or_else(|| at(CUT))]
            }
            Self::Sieve(curve) => {
                [curve.first().map_or(0.0, |point| point[0]), curve.last().map_or(0.0, |point| point[0])]
            }
        }
    }

    /// Returns an error if the distribution is invalid.
    pub fn check(&self) -> Result<(), String> {
        let [low, high] = self.bounds();
        let probability = match self {
            Self::Uniform(_) => 1.0,
            Self::Normal(n) if n.sd <= 0.0 => return Err(format!("must have a positive `sd`, not {}", n.sd)),
            Self::Normal(n) if n.min.is_none() && low <= 0.0 => {
                return Err(format!(
                    "must have a `min`, because its default, three `sd` below the mean, is not positive: {low}"
                ));
            }
            Self::Normal(n) => normal_cdf((high - n.mean) / n.sd) - normal_cdf((low - n.mean) / n.sd),
            Self::Lognormal(n) if !(n.sigma > 0.0 && n.sigma.is_finite() && n.median > 0.0) => {
                return Err(format!("must have a positive `median` and `sigma`, not {} and {}", n.median, n.sigma));
            }
            Self::Lognormal(n) => {
                let sigmas = |x: f64| libm::log(x.max(f64::MIN_POSITIVE) / n.median) / n.sigma;
                normal_cdf(sigmas(high)) - normal_cdf(sigmas(low))
            }
            Self::Sieve(curve) => return check_curve(curve),
        };
        if low > high {
            return Err(format!("must have a `min` of at most its `max`, not {low} and {high}"));
        }
        if probability < LEAST_PROBABILITY {
            return Err(format!(
                "must have at least {} % of its values between `min` and `max`, not {:.2} %",
                100.0 * LEAST_PROBABILITY,
                100.0 * probability.max(0.0)
            ));
        }
        Ok(())
    }

    /// Draws a value.
    pub fn draw(&self, random: &mut Random) -> f64 {
        let [low, high] = self.bounds();
        // Values beyond the bounds are drawn again.
        let within = |mut value: Box<dyn FnMut() -> f64 + '_>| loop {
            let drawn = value();
            if (low..=high).contains(&drawn) {
                return drawn;
            }
        };
        match self {
            Self::Uniform(_) => low + (high - low) * random.unit(),
            Self::Normal(n) => within(Box::new(|| n.mean + n.sd * random.gauss())),
            Self::Lognormal(n) => within(Box::new(|| n.median * libm::exp(n.sigma * random.gauss()))),
            Self::Sieve(curve) => draw_from_curve(curve, random),
        }
    }
}

/// Returns the cumulative normal distribution at x.
fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// Returns an error if a sieve curve is invalid.
fn check_curve(curve: &[[f64; 2]]) -> Result<(), String> {
    let rising =
        |k: usize| curve.windows(2).all(|pair| pair[0][k] < pair[1][k] || (k == 1 && pair[0][k] == pair[1][k]));
    match curve {
        [] | [_] => Err("must have at least two points, each [size, fraction of the mass that is smaller]".into()),
        [first, ..] if !(first[0] > 0.0 && first[1] == 0.0) => {
            Err(format!("must begin with a positive size and the fraction 0, not {first:?}"))
        }
        [.., last] if last[1] != 1.0 => Err(format!("must end with the fraction 1, not {last:?}")),
        _ if !rising(0) || !rising(1) => {
            Err("must rise: each size must be above the one before, and no fraction below".into())
        }
        _ => Ok(()),
    }
}

/// Draws a size from a sieve curve.
///
/// The curve is a distribution of mass, but grains are drawn by number. A fraction dm of the mass
/// at the size x has a number of grains proportional to dm/x³.
fn draw_from_curve(curve: &[[f64; 2]], random: &mut Random) -> f64 {
    // Number of grains between two points, times 2: integral of m/(b - a) 2/x³ dx from a to b.
    let grains = |pair: &[[f64; 2]]| {
        let ([a, low], [b, high]) = (pair[0], pair[1]);
        (high - low) * (a + b) / (a * a * b * b)
    };
    let all: f64 = curve.windows(2).map(grains).sum();
    let mut left = all * random.unit();
    let last = curve.len() - 2;
    for (index, pair) in curve.windows(2).enumerate() {
        let here = grains(pair);
        if left < here || index == last {
            let [a, b] = [pair[0][0], pair[1][0]];
            let fraction = if here > 0.0 { (left / here).min(1.0) } else { 0.0 };
            // The number of grains is linear in 1/x².
            let inverse_square = 1.0 / (a * a) - fraction * (1.0 / (a * a) - 1.0 / (b * b));
            return (1.0 / inverse_square.sqrt()).clamp(a, b);
        }
        left -= here;
    }
    curve[last][0]
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let form = match self {
            Number::Fixed(number) => return number.serialize(serializer),
            Number::List(list) => return list.serialize(serializer),
            Number::Drawn(Distribution::Uniform(Bounds { min, max })) => {
                Form { min: Some(*min), max: Some(*max), ..Form::default() }
            }
            Number::Drawn(Distribution::Normal(normal)) => Form { normal: Some(*normal), ..Form::default() },
            Number::Drawn(Distribution::Lognormal(normal)) => Form { lognormal: Some(*normal), ..Form::default() },
            Number::Drawn(Distribution::Sieve(curve)) => Form { sieve: Some(curve.clone()), ..Form::default() },
        };
        form.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberVisitor;
        impl<'de> Visitor<'de> for NumberVisitor {
            type Value = Number;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a number, a length such as \"2.5 mm\", a distribution such as { min, max }, or a list of these",
                )
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Number, E> {
                Ok(Number::Fixed(value))
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Number, E> {
                Ok(Number::Fixed(value as f64))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Number, E> {
                quantity::from_text::<Length>(text).map(Number::Fixed).map_err(E::custom)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Number, A::Error> {
                let mut list = Vec::new();
                while let Some(number) = seq.next_element()? {
                    list.push(number);
                }
                Ok(Number::List(list))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Number, A::Error> {
                let form = Form::deserialize(serde::de::value::MapAccessDeserializer::new(map))?;
                form.distribution().map(Number::Drawn).map_err(A::Error::custom)
            }
        }
        deserializer.deserialize_any(NumberVisitor)
    }
}

impl JsonSchema for Number {
    fn schema_name() -> Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let length = || serde_json::json!({ "type": ["number", "string"], "description": Length::HINT });
        let bounded = |more: serde_json::Value, required: &[&str]| {
            let mut properties = serde_json::json!({ "min": length(), "max": length() });
            if let (Some(all), Some(more)) = (properties.as_object_mut(), more.as_object()) {
                all.extend(more.clone());
            }
            serde_json::json!({
                "type": "object", "properties": properties, "required": required, "additionalProperties": false
            })
        };
        let normal = bounded(serde_json::json!({ "mean": length(), "sd": length() }), &["mean", "sd"]);
        let lognormal =
            bounded(serde_json::json!({ "median": length(), "sigma": { "type": "number" } }), &["median", "sigma"]);
        let one = |name: &str, schema: serde_json::Value| {
            serde_json::json!({
                "type": "object", "properties": { name: schema }, "required": [name], "additionalProperties": false
            })
        };
        let point = serde_json::json!({
            "type": "array", "prefixItems": [length(), { "type": "number" }], "minItems": 2, "maxItems": 2
        });
        json_schema!({
            "description": "A number in SI units, a length with a unit, a distribution from which each grain draws its own value, or a list of these. Distributions: `{ min, max }` (uniform), `{ normal = { mean, sd, min, max } }` and `{ lognormal = { median, sigma, min, max } }` (truncated at `min` and `max`, by default three standard deviations from the middle), `{ sieve = [[size, fraction], ...] }` (for `size` only: fraction of the mass that is smaller).",
            "anyOf": [
                length(),
                { "type": "array", "items": { "$ref": "#/$defs/Number" } },
                bounded(serde_json::json!({}), &["min", "max"]),
                one("uniform", bounded(serde_json::json!({}), &["min", "max"])),
                one("normal", normal),
                one("lognormal", lognormal),
                one("sieve", serde_json::json!({ "type": "array", "items": point, "minItems": 2 })),
            ]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distribution(text: &str) -> Distribution {
        let table: toml::Table = format!("x = {text}").parse().unwrap();
        match Number::deserialize(table["x"].clone()).unwrap() {
            Number::Drawn(distribution) => distribution,
            other => panic!("{other:?}"),
        }
    }

    fn sample(text: &str) -> Vec<f64> {
        let distribution = distribution(text);
        distribution.check().unwrap();
        let mut random = Random::stream(3, 1);
        let values: Vec<f64> = (0..200_000).map(|_| distribution.draw(&mut random)).collect();
        let [low, high] = distribution.bounds();
        assert!(values.iter().all(|value| (low..=high).contains(value)));
        values
    }

    fn mean_and_sd(values: &[f64]) -> (f64, f64) {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / values.len() as f64;
        (mean, variance.sqrt())
    }

    #[test]
    fn moments_are_those_of_the_distribution() {
        // The standard error of 200,000 values is 0.0022 standard deviations. Truncation at 3
        // reduces the standard deviation to 0.9866 of that of the full distribution.
        let (mean, sd) = mean_and_sd(&sample("{ normal = { mean = 2, sd = 0.2 } }"));
        assert!((mean - 2.0).abs() < 1.5e-3 && (sd / (0.2 * 0.98658) - 1.0).abs() < 6e-3, "{mean} {sd}");
        let logs: Vec<f64> = sample("{ lognormal = { median = 3, sigma = 0.5 } }").iter().map(|x| x.ln()).collect();
        let (mean, sd) = mean_and_sd(&logs);
        assert!((mean - 3f64.ln()).abs() < 4e-3 && (sd / (0.5 * 0.98658) - 1.0).abs() < 6e-3, "{mean} {sd}");
        let (mean, sd) = mean_and_sd(&sample("{ min = 1, max = 3 }"));
        assert!((mean - 2.0).abs() < 4e-3 && (sd - 1.0 / 3f64.sqrt()).abs() < 4e-3);
    }

    #[test]
    fn the_mass_below_each_size_is_that_of_the_sieve_curve() {
        let curve = [[1.0, 0.0], [2.0, 0.3], [4.0, 0.3], [5.0, 1.0]];
        let values = sample("{ sieve = [[1, 0], [2, 0.3], [4, 0.3], [5, 1.0]] }");
        let all: f64 = values.iter().map(|x| x.powi(3)).sum();
        let passing = |size: f64| values.iter().filter(|x| **x <= size).map(|x| x.powi(3)).sum::<f64>() / all;
        for [size, part] in curve {
            assert!((passing(size) - part).abs() < 5e-3, "{size}: {} instead of {part}", passing(size));
        }
        // The curve is linear between its points.
        assert!((passing(1.5) - 0.15).abs() < 4e-3 && (passing(4.5) - 0.65).abs() < 6e-3);
    }

    #[test]
    fn bounds_truncate_and_invalid_ones_are_refused() {
        assert!(sample("{ normal = { mean = 2, sd = 1, min = 1.9, max = 2.5 } }").len() == 200_000);
        let error = |text: &str| distribution(text).check().unwrap_err();
        assert!(error("{ normal = { mean = 1, sd = 0.5 } }").starts_with("must have a `min`, because its default"));
        assert!(error("{ normal = { mean = 1, sd = 0.1, min = 5, max = 6 } }").contains("not 0.00 %"));
        assert_eq!(error("{ min = 2, max = 1 }"), "must have a `min` of at most its `max`, not 2 and 1");
        assert!(error("{ sieve = [[1, 0], [2, 0.5]] }").starts_with("must end with the fraction 1"));
        assert!(
            error("{ sieve = [[1, 0.1], [2, 1]] }").starts_with("must begin with a positive size and the fraction 0")
        );
        assert!(error("{ sieve = [[2, 0], [1, 1]] }").starts_with("must rise"));
        assert!(error("{ lognormal = { median = 1, sigma = 0 } }").starts_with("must have a positive `median`"));
    }
}
