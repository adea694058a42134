//! Suggestions of the valid name that is most similar to an unknown one.

/// Largest edit distance of a suggestion, relative to the length of the longer name.
const SIMILAR: f64 = 0.4;

/// Returns a message of serde in the terms of scene files, with a suggestion for an unknown name.
///
/// Serde writes "unknown field `x`, expected one of `a`, `b`"; `more` are further valid names.
pub fn explain(message: &str, more: &[String]) -> String {
    if let Some(reason) = explain_length(message).or_else(|| explain_type(message)) {
        return reason;
    }
    if let Some(name) = message.strip_prefix("missing field ") {
        return format!("missing key {name}");
    }
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let what = ["unknown field", "unknown variant"].into_iter().find(|start| message.starts_with(start));
    let (Some(what), [wrong, known @ ..]) = (what, quoted.as_slice()) else {
        return message.to_owned();
    };
    let what = if what == "unknown field" { "unknown key" } else { "unknown value" };
    let known: Vec<&str> = known.iter().copied().chain(more.iter().map(String::as_str)).collect();
    match nearest(wrong, &known) {
        Some(name) => format!("{what} `{wrong}`; did you mean `{name}`?"),
        None => format!("{what} `{wrong}`; expected one of {}", list(&known)),
    }
}

/// Rewrites messages such as "invalid length 2, expected an array of length 3".
fn explain_length(message: &str) -> Option<String> {
    let (found, expected) = message.strip_prefix("invalid length ")?.split_once(", expected ")?;
    let number = |text: &str| text.split(|c: char| !c.is_ascii_digit()).find_map(|digits| digits.parse::<u32>().ok());
    let (found, expected) = (number(found)?, number(expected)?);
    let hint = if (found, expected) == (2, 3) { "; a planar scene needs dimension = 2" } else { "" };
    Some(format!("must have {expected} components, not {found}{hint}"))
}

/// Rewrites messages such as "invalid type: map, expected u64" without the type names of Rust.
fn explain_type(message: &str) -> Option<String> {
    let rest = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "))?;
    let (found, expected) = rest.split_once(", expected ")?;
    Some(format!("must be {}, not {}", expected_words(expected), found_words(found)))
}

/// Returns the words for an expected type.
fn expected_words(expected: &str) -> String {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    match expected {
        "a sequence" => "a list".to_owned(),
        "a map" => "a table".to_owned(),
        "a string" => "a text in quotes".to_owned(),
        "a boolean" | "bool" => "true or false".to_owned(),
        "unit variant" => "a name without settings".to_owned(),
        "newtype variant" | "struct variant" | "tuple variant" => {
            "a name with its settings, as in { NAME = { KEY = VALUE } }".to_owned()
        }
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number of at least 0".to_owned(),
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        _ if expected.starts_with("struct ") => "a table".to_owned(),
        _ if expected.starts_with("an array of length ") || expected.starts_with("a tuple of size ") => {
            format!("a list of {} values", digits(expected))
        }
        // The hint of a quantity, such as "a time: a number in s or a string such as ..".
        _ => match expected.split_once(": ") {
            Some((name, forms)) => format!("{name} ({forms})"),
            None => expected.to_owned(),
        },
    }
}

/// Returns the words for a value of the wrong type.
fn found_words(found: &str) -> String {
    let value = found.split_once('`').map(|(_, value)| value.trim_end_matches('`'));
    match (found, value) {
        ("sequence", _) => "a list".to_owned(),
        ("map", _) => "a table".to_owned(),
        ("unit variant", _) => "a name without settings".to_owned(),
        ("newtype variant" | "struct variant" | "tuple variant", _) => "a name with settings".to_owned(),
        (_, Some(value)) => value.to_owned(),
        _ => found.strip_prefix("string ").map_or_else(|| found.to_owned(), |text| format!("the text {text}")),
    }
}

/// Returns names in quotes, separated by commas.
pub fn list(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Returns the valid name that is most similar to an unknown one; `None` if none is similar enough.
pub fn nearest<'a>(wrong: &str, known: &[&'a str]) -> Option<&'a str> {
    let (distance, name) = known.iter().map(|name| (distance(wrong, name), *name)).min()?;
    let longest = wrong.chars().count().max(name.chars().count());
    (distance as f64 <= SIMILAR * longest as f64).then_some(name)
}

/// Returns the edit distance (Levenshtein) of two names: characters to replace, insert or delete.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_name_is_suggested() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(nearest("fricton", &["restitution", "friction"]), Some("friction"));
        assert_eq!(nearest("colour", &["restitution", "friction"]), None);
        let message = "unknown field `spere`, expected one of `count`, `seed`";
        assert_eq!(explain(message, &["sphere".into()]), "unknown key `spere`; did you mean `sphere`?");
        assert_eq!(explain(message, &[]), "unknown key `spere`; expected one of `count`, `seed`");
        assert_eq!(explain("missing field `x`", &[]), "missing key `x`");
        assert_eq!(
            explain("invalid length 2, expected an array of length 3", &[]),
            "must have 3 components, not 2; a planar scene needs dimension = 2"
        );
        assert_eq!(explain("invalid length 3, expected 2 elements in sequence", &[]), "must have 2 components, not 3");
    }

    #[test]
    fn wrong_types_are_named_without_the_types_of_rust() {
        for (message, reason) in [
            ("invalid type: map, expected a sequence", "must be a list, not a table"),
            ("invalid type: sequence, expected struct TimeTable", "must be a table, not a list"),
            (
                "invalid type: string \"ten\", expected u64",
                "must be a whole number of at least 0, not the text \"ten\"",
            ),
            ("invalid value: integer `-1`, expected u32", "must be a whole number of at least 0, not -1"),
            ("invalid type: floating point `1.5`, expected u64", "must be a whole number of at least 0, not 1.5"),
            ("invalid type: integer `0`, expected an array of length 3", "must be a list of 3 values, not 0"),
            ("invalid type: integer `1`, expected a boolean", "must be true or false, not 1"),
            (
                "invalid type: unit variant, expected newtype variant",
                "must be a name with its settings, as in { NAME = { KEY = VALUE } }, not a name without settings",
            ),
            (
                "invalid type: boolean `true`, expected a time: a number in s or a string such as \"10 ms\"",
                "must be a time (a number in s or a string such as \"10 ms\"), not true",
            ),
        ] {
            assert_eq!(explain(message, &[]), reason);
        }
    }
}
