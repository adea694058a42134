//! `granum completions` and `granum man`: what a shell and `man` want to know, made from the program's own arguments.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::{Cli, Failure};

/// Print completions for a shell.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  granum completions bash > ~/.local/share/bash-completion/completions/granum
  granum completions zsh > ~/.zfunc/_granum
  granum completions fish > ~/.config/fish/completions/granum.fish")]
pub struct CompletionArgs {
    /// Which shell
    shell: Shell,
}

/// Print the manual page, or write one for every command.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  granum man | man -l -
  granum man --out ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Folder for the pages: granum.1 and one for every command
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

/// Prints completions.
pub fn completions(args: &CompletionArgs) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "granum", &mut text);
    Ok(io::stdout().write_all(&text)?)
}

/// Prints or writes the manual.
pub fn man(args: &ManArgs) -> Result<(), Failure> {
    let mut command = Cli::command();
    command.build();
    let Some(out) = &args.out else {
        return Ok(io::stdout().write_all(&page(command)?)?);
    };
    fs::create_dir_all(out).map_err(|error| Failure::unwritable(out, &error))?;
    write(command, out, "granum")
}

/// Writes the page of a command and those of its own commands.
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
