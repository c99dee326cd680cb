//! `kohort verify`: judges somebody's release against a plan.

use std::path::Path;

use kohort::load::{Loaded, assign_roles};
use kohort::plan::Plan;
use kohort::release::{verdict_text, verify};

use super::{folder, nested, read_original, reading};
use crate::args::{Common, Verify};
use crate::printer::{Failure, Outcome, Printer};

pub(crate) fn run(args: &Verify, common: &Common, printer: &Printer) -> Result<Outcome, Failure> {
    let text = kohort::read_text(Path::new(&args.plan))?;
    let name = Path::new(&args.plan).file_name().unwrap_or_default().to_string_lossy();
    let plan = Plan::parse(&name, &text)?;
    let base = folder(&args.plan);
    if nested::is_release_of((&args.release, args.original.as_ref()), &plan, &base)? {
        return nested::verify(args, &plan, &base, (common, printer));
    }
    let original = match &args.original {
        None => None,
        Some(original) => {
            let here = Plan { input: Some(original.clone()), ..plan.clone() };
            let table = read_original(&here, common, printer)?;
            let Loaded { value, notes } = assign_roles(&plan, &base, table)?;
            printer.notes(&notes);
            Some(value)
        }
    };
    // How the original was written says nothing about the release, but for what stands for missing.
    let mut read = reading(&args.reading);
    read.missing = read.missing.or_else(|| plan.read.missing.clone());
    let asked = Plan { read, ..plan };
    let verdict = verify(&asked, &base, Path::new(&args.release), original.as_ref())?;
    printer.notes(&verdict.notes);
    printer.data(&verdict, || verdict_text(&verdict))?;
    Ok(if verdict.verified { Outcome::Done } else { Outcome::No })
}
