//! `granum completions` and `granum man`: shell completions and manual pages, generated from the
//! definitions of the arguments.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::{Cli, Failure};

/// Print the completions for a shell.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  granum completions bash > ~/.local/share/bash-completion/completions/granum
  granum completions zsh > ~/.zfunc/_granum
  granum completions fish > ~/.config/fish/completions/granum.fish")]
pub struct CompletionArgs {
    /// Shell
    shell: Shell,
}

/// Print the manual page, or write the pages of all commands.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  granum man | man -l -
  granum man --out ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Folder for the pages: granum.1 and one page per command
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

/// Prints the completions.
pub fn completions(args: &CompletionArgs) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "granum", &mut text);
    Ok(io::stdout().write_all(&text)?)
}

/// Prints the manual page, or writes all pages.
pub fn man(args: &ManArgs) -> Result<(), Failure> {
    let mut command = Cli::command();
    command.build();
    let Some(out) = &args.out else {
        return Ok(io::stdout().write_all(&page(command)?)?);
    };
    fs::create_dir_all(out).map_err(|error| Failure::unwritable(out, &error))?;
    write(command, out, "granum")
}

/// Writes the pages of a command and of its subcommands.
fn write(command: clap::Command, out: &Path, name: &str) -> Result<(), Failure> {
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        let name = format!("{name}-{}", inner.get_name());
        write(inner.clone(), out, &name)?;
    }
    let path = out.join(format!("{name}.1"));
    fs::write(&path, page(command)?).map_err(|error| Failure::unwritable(&path, &error))
}

fn page(command: clap::Command) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    Man::new(command).render(&mut text)?;
    Ok(text)
}
