//! Messages for users.

/// Longest word in a message, in characters. Paths of files are hardly longer; a longer word is
/// a mistake that the message quotes.
const LONGEST_WORD: usize = 200;

/// Longest message, in characters. The lists of all shapes or fields are shorter.
const LONGEST_MESSAGE: usize = 2000;

/// Returns a message with long words and a long end cut. A message quotes the input, in which a
/// number or a name can be of any length.
pub fn cut(message: &str) -> String {
    let mut short = String::new();
    for word in message.split_inclusive(' ') {
        if word.chars().nth(LONGEST_WORD).is_some() {
            short.extend(word.chars().take(LONGEST_WORD - 3));
            short += if word.ends_with(' ') { "... " } else { "..." };
        } else {
            short += word;
        }
    }
    match short.char_indices().nth(LONGEST_MESSAGE) {
        Some((end, _)) => format!("{}...", &short[..end]),
        None => short,
    }
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn long_words_and_long_messages_are_cut() {
        assert_eq!(cut("must be a length, not -1"), "must be a length, not -1");
        assert_eq!(cut(&format!("not `{}` m", "9".repeat(1000))), format!("not `{}... m", "9".repeat(196)));
        assert_eq!(cut(&"é ".repeat(2000)).chars().count(), 2003);
    }
}
