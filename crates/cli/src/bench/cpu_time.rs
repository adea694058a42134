//! Processor time of this process, which other programs on the machine do not lengthen as they do
//! wall time.

/// Returns the processor time of all threads of this process, s, or `None` where the platform does
/// not report it.
#[cfg(unix)]
pub fn of_process() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64)
}

/// Returns the processor time of all threads of this process, s, or `None` where the platform does
/// not report it.
#[cfg(not(unix))]
pub fn of_process() -> Option<f64> {
    None
}
