//! The memory that grains need, compared with the memory of the machine.
//!
//! A single number of a scene can request more grains than any machine can hold. Without this check
//! the operating system would kill the program while it places them, without a message.

use std::fs;

/// Returns the memory that this process can still allocate, bytes. It is `None` if the system does
/// not report it, which is the case on all systems but Linux.
pub fn available() -> Option<u64> {
    let read = |path: &str| fs::read_to_string(path).ok();
    let free = read("/proc/meminfo").and_then(|text| Some(1024 * number_after(&text, "MemAvailable:")?));
    let limit = read("/proc/self/limits").and_then(|text| number_after(&text, "Max address space"));
    let used = read("/proc/self/status").and_then(|text| Some(1024 * number_after(&text, "VmSize:")?));
    let of_process = limit.map(|limit| limit.saturating_sub(used.unwrap_or(0)));
    let whole = |path: &str| read(path).and_then(|text| text.trim().parse::<u64>().ok());
    let of_group = whole("/sys/fs/cgroup/memory.max");
    let of_group = of_group.map(|most| most.saturating_sub(whole("/sys/fs/cgroup/memory.current").unwrap_or(0)));
    [free, of_process, of_group].into_iter().flatten().min()
}

/// Returns the number that follows a word at the beginning of a line.
fn number_after(text: &str, word: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(word))?;
    rest.split_whitespace().next()?.parse().ok()
}

/// Returns a number of bytes as text.
pub fn size(bytes: f64) -> String {
    if bytes < 1e12 { format!("{:.1} GB", bytes / 1e9) } else { format!("{:.0} TB", bytes / 1e12) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_system_are_found() {
        assert_eq!(number_after("MemFree: 5 kB\nMemAvailable:   1234 kB\n", "MemAvailable:"), Some(1234));
        let limits = "Max cpu time   unlimited  unlimited seconds\nMax address space  8000 unlimited bytes\n";
        assert_eq!(number_after(limits, "Max address space"), Some(8000));
        assert_eq!(number_after(limits, "Max cpu time"), None);
        if cfg!(target_os = "linux") {
            assert!(available().is_some_and(|bytes| bytes > 1_000_000));
        }
    }
}
