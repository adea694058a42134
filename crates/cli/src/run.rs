//! `granum run`: a scene from its file to the files of its run.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use granum_engine::{Energy, Simulation, Snapshot};
use granum_output::{EnergyTable, Status, Summary};
use granum_scene::{Program, ProgramState, Scene, Schedule, parse_time};

use crate::Failure;

/// Wall time between two lines of progress, at first; in a long run, this part of the time it has taken so far.
const PROGRESS: (Duration, f64) = (Duration::from_secs(2), 0.05);

/// Wall time after which a stretch of steps is to be over, so that progress can be told.
const STRETCH: Duration = Duration::from_millis(500);

/// Run a scene.
///
/// Writes into DIR: energy.csv (the energy ledger at each output time), summary.json (steps, speed, time by stage) and
/// scene.toml (the scene in SI units with every default filled in, and the time step that was used).
#[derive(clap::Args)]
#[command(after_help = "Example: granum run scenes/first_pour.toml")]
pub struct Args {
    /// Scene file
    scene: PathBuf,
    /// Folder for the results, new or empty [default: out/SCENE-TIME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Threads; 0 for one a core. The results do not depend on it
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// End at this time instead of the scene's, in seconds or with a unit ("50 ms")
    #[arg(long, value_name = "T", value_parser = parse_time)]
    until: Option<f64>,
    /// Set a value of the scene: KEY=VALUE, as in materials.glass.density=2600 or grains[0].count=10
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Print nothing but warnings and errors
    #[arg(long)]
    quiet: bool,
}

/// Runs the scene.
pub fn run(args: &Args) -> Result<(), Failure> {
    let say = Console { quiet: args.quiet };
    let mut scene = Scene::load_with(&args.scene, &args.settings)?;
    if let Some(until) = args.until {
        if until <= 0.0 {
            return Err(Failure::Input(format!("--until must be a positive time, not {until}")));
        }
        scene.time.end = until;
    }
    let world = scene.build()?;
    let program = Program::new(&scene, &world)?;
    let schedule = program.schedule.clone();
    let dir = args.out.clone().unwrap_or_else(|| default_folder(&args.scene));
    let moving = world.bodies.tag.iter().filter(|tag| tag.is_dynamic()).count();
    let fixed = world.bodies.len() - moving;
    let simulation = Simulation::new(world, args.threads).map_err(|error| Failure::Input(error.to_string()))?;

    say.line(&format!("scene      {}{}", args.scene.display(), title(&scene)));
    say.line(&format!("bodies     {moving} grains, {fixed} walls; threads {}", simulation.threads()));
    say.line(&format!("time step  {:.4e} s: {}", schedule.time_step, schedule.reason));
    say.line(&format!("steps      {} to {} s", schedule.last_step, scene.time.end));
    say.line(&format!("results    {}", dir.display()));
    if let Some(warning) = &schedule.warning {
        let _ = writeln!(io::stderr(), "warning: {warning}");
    }

    prepare_folder(&dir)?;
    write_scene(&dir, scene, &args.scene, schedule.time_step)?;
    let state = program.start();
    let run = Run { simulation, program, state, schedule, dir, say, written: Duration::ZERO };
    run.finish()
}

/// A run under way.
struct Run {
    simulation: Simulation,
    program: Program,
    state: ProgramState,
    schedule: Schedule,
    dir: PathBuf,
    say: Console,
    /// Time spent on output.
    written: Duration,
}

impl Run {
    fn finish(mut self) -> Result<(), Failure> {
        let path = self.dir.join("energy.csv");
        let mut table = EnergyTable::create(&path).map_err(|error| Failure::unwritable(&path, &error))?;
        let start = Instant::now();
        self.act();
        let mut snapshot = self.simulation.snapshot();
        let first = snapshot.energy;
        self.record(&mut table, &snapshot)?;
        let mut progress = Progress::new(self.schedule.last_step);
        let mut status = Status::Completed;
        while !self.program.is_over(&self.state, self.simulation.world().step) {
            let target = self.schedule.next_output(snapshot.step);
            while self.simulation.world().step < target {
                let step = self.simulation.world().step;
                let event = self.program.next_event(&self.state, step);
                self.simulation.run(progress.stretch().min(target.min(event) - step));
                self.act();
                if self.program.is_over(&self.state, self.simulation.world().step) {
                    break;
                }
                progress.advance(self.simulation.world().step);
                if progress.is_due() {
                    self.say.line(&progress.line(&self.simulation.snapshot()));
                }
            }
            snapshot = self.simulation.snapshot();
            self.record(&mut table, &snapshot)?;
            if !snapshot.energy.total().is_finite() {
                status = Status::Diverged;
                break;
            }
        }
        let summary = self.summary(start.elapsed(), &snapshot, status);
        let path = self.dir.join("summary.json");
        summary.write(&path).map_err(|error| Failure::unwritable(&path, &error))?;
        if status == Status::Diverged {
            return Err(Failure::Failed(format!(
                "the energy is no longer a finite number at {} s: the time step of {:.3e} s is too long for this scene",
                snapshot.time, self.schedule.time_step
            )));
        }
        self.tell(&summary, &snapshot.energy, &first);
        Ok(())
    }

    /// Does what the program has to do at the present step, and tells of it.
    fn act(&mut self) {
        for sentence in self.program.act(&mut self.state, &mut self.simulation) {
            self.say.line(&sentence);
        }
    }

    fn record(&mut self, table: &mut EnergyTable, snapshot: &Snapshot) -> Result<(), Failure> {
        let start = Instant::now();
        table.record(snapshot).map_err(|error| Failure::unwritable(&self.dir.join("energy.csv"), &error))?;
        self.written += start.elapsed();
        Ok(())
    }

    fn summary(&self, wall: Duration, last: &Snapshot, status: Status) -> Summary {
        let bodies = last.bodies.len();
        let wall_seconds = wall.as_secs_f64();
        Summary {
            bodies,
            steps: last.step,
            dt: self.schedule.time_step,
            wall_seconds,
            body_steps_per_second: bodies as f64 * last.step as f64 / wall_seconds,
            seconds: Summary::seconds_of(&self.simulation.stage_seconds(), self.written.as_secs_f64()),
            contacts: last.contacts.len(),
            status,
        }
    }

    /// The end of a run, for people.
    fn tell(&self, summary: &Summary, last: &Energy, first: &Energy) {
        let kinetic = last.kinetic_translational + last.kinetic_rotational;
        let turned_over = last.dissipated() + last.work.abs() + kinetic + (last.potential - first.potential).abs();
        let residual = last.residual(first);
        let part = if turned_over > 0.0 { residual.abs() / turned_over } else { 0.0 };
        self.say.line(&format!(
            "done       {} steps in {:.1} s: {:.3e} body-steps/s",
            summary.steps, summary.wall_seconds, summary.body_steps_per_second
        ));
        self.say.line(&format!(
            "contacts   {}; kinetic energy {kinetic:.3e} J; dissipated {:.3e} J",
            summary.contacts,
            last.dissipated()
        ));
        self.say.line(&format!("ledger     residual {residual:.2e} J, {part:.1e} of the energy that was turned over"));
    }
}

/// When to tell of progress, and how many steps to do until the next look at the clock.
struct Progress {
    last_step: u64,
    start: Instant,
    step: u64,
    /// The last line: when, and at which step.
    told: (Instant, u64),
    steps_per_second: f64,
}

impl Progress {
    fn new(last_step: u64) -> Self {
        let now = Instant::now();
        Self { last_step, start: now, step: 0, told: (now, 0), steps_per_second: 0.0 }
    }

    /// Steps to do before the next look at the clock.
    fn stretch(&self) -> u64 {
        ((self.steps_per_second * STRETCH.as_secs_f64()) as u64).max(1)
    }

    fn advance(&mut self, step: u64) {
        self.step = step;
        self.steps_per_second = step as f64 / self.start.elapsed().as_secs_f64();
    }

    fn is_due(&self) -> bool {
        let (least, part) = PROGRESS;
        self.told.0.elapsed() >= least.max(self.start.elapsed().mul_f64(part)) && self.step < self.last_step
    }

    /// One line of progress.
    fn line(&mut self, snapshot: &Snapshot) -> String {
        let now = Instant::now();
        let rate = (self.step - self.told.1) as f64 / (now - self.told.0).as_secs_f64();
        self.told = (now, self.step);
        let energy = &snapshot.energy;
        format!(
            "t = {:.4e} s  {:>3.0} %  {rate:.*} steps/s  {} contacts  {:.3e} J kinetic  {} left",
            snapshot.time,
            100.0 * self.step as f64 / self.last_step as f64,
            if rate < 10.0 { 1 } else { 0 },
            snapshot.contacts.len(),
            energy.kinetic_translational + energy.kinetic_rotational,
            duration((self.last_step - self.step) as f64 / rate),
        )
    }
}

/// Standard output. A run goes on if nobody reads it.
struct Console {
    quiet: bool,
}

impl Console {
    fn line(&self, text: &str) {
        if !self.quiet {
            let _ = writeln!(io::stdout(), "{text}");
        }
    }
}

fn title(scene: &Scene) -> String {
    scene.title.as_ref().map_or(String::new(), |title| format!(": {title}"))
}

/// Seconds for people: `45 s`, `12 min`, `3.2 h`.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// `out/SCENE-20260315-141500`, in universal time.
fn default_folder(scene: &Path) -> PathBuf {
    let name = scene.file_stem().map_or("scene".into(), |stem| stem.to_string_lossy());
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Path::new("out").join(format!("{name}-{}", time_stamp(since.as_secs())))
}

/// Seconds since 1970 as `YYYYMMDD-HHMMSS` (Howard Hinnant's `civil_from_days`).
fn time_stamp(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + 400 * era + u64::from(month <= 2);
    format!("{year:04}{month:02}{day:02}-{:02}{:02}{:02}", rest / 3600, rest / 60 % 60, rest % 60)
}

/// Makes the folder; one that holds anything is refused, so that no result is lost.
fn prepare_folder(dir: &Path) -> Result<(), Failure> {
    fs::create_dir_all(dir).map_err(|error| Failure::Input(format!("cannot make {}: {error}", dir.display())))?;
    let mut entries = fs::read_dir(dir).map_err(|error| Failure::unreadable(dir, &error))?;
    match entries.next() {
        Some(_) => Err(Failure::Input(format!(
            "{} is not empty; results are never overwritten: choose another --out, or empty it first",
            dir.display()
        ))),
        None => Ok(()),
    }
}

fn write_scene(dir: &Path, mut scene: Scene, file: &Path, time_step: f64) -> Result<(), Failure> {
    scene.time.step = Some(time_step);
    let path = dir.join("scene.toml");
    let head = format!(
        "# {} as granum {} ran it: SI units, defaults filled in.\n\n",
        file.display(),
        env!("CARGO_PKG_VERSION")
    );
    let text = scene.to_toml().map_err(io::Error::other).and_then(|text| fs::write(&path, head + &text));
    text.map_err(|error| Failure::unwritable(&path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_stamps_are_dates() {
        assert_eq!(time_stamp(0), "19700101-000000");
        assert_eq!(time_stamp(951_782_399), "20000228-235959");
        assert_eq!(time_stamp(951_782_400), "20000229-000000");
        assert_eq!(time_stamp(1_767_225_599), "20251231-235959");
        assert_eq!(time_stamp(1_773_584_100), "20260315-141500");
    }
}
