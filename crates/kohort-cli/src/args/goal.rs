//! The flags of principles, made from their registry: a level alone, or what stands in a plan.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use kohort::goal::{Flag, Level, PRINCIPLES, Principle};

use super::values::{recursive, whole};

/// The principles that are asked for by a level, each with its flag.
pub(crate) struct LevelFlags(pub(super) Vec<(&'static str, Principle)>);

/// The principles that are written as in a plan, each with its text.
pub(crate) struct PlanFlags(Vec<(&'static str, String)>);

impl PlanFlags {
    /// Each id with its text.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(id, text)| (*id, text.as_str()))
    }

    /// Whether this one is asked for.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.0.iter().any(|(asked, _)| *asked == id)
    }
}

impl Args for LevelFlags {
    fn augment_args(command: Command) -> Command {
        PRINCIPLES.iter().fold(command, |command, principle| {
            let Flag::Level { name, alias, value, help, level } = principle.flag else {
                return command;
            };
            let flag = Arg::new(name).long(name).value_name(value).help(help);
            let flag = flag.action(ArgAction::Set).visible_aliases(alias);
            command.arg(flag.value_parser(move |text: &str| principle_of(level, text)))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// The principle of a level.
fn principle_of(level: Level, text: &str) -> Result<Principle, String> {
    match level {
        Level::Whole(principle) => whole(text).map(principle),
        Level::Exact(principle) => text.parse().map(principle).map_err(str::to_owned),
        Level::Pair(principle) => recursive(text).map(|(number, whole)| principle(number, whole)),
    }
}

impl FromArgMatches for LevelFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let asked = PRINCIPLES.iter().filter_map(|principle| {
            let Flag::Level { name, .. } = principle.flag else { return None };
            Some((name, matches.get_one::<Principle>(name)?.clone()))
        });
        Ok(Self(asked.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for PlanFlags {
    fn augment_args(command: Command) -> Command {
        PRINCIPLES.iter().fold(command, |command, principle| {
            let Flag::AsInPlan { value, help } = principle.flag else { return command };
            let flag = Arg::new(principle.id).long(principle.id).value_name(value).help(help);
            command.arg(flag.action(ArgAction::Set))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for PlanFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let asked = PRINCIPLES.iter().filter_map(|principle| {
            let Flag::AsInPlan { .. } = principle.flag else { return None };
            Some((principle.id, matches.get_one::<String>(principle.id)?.clone()))
        });
        Ok(Self(asked.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
