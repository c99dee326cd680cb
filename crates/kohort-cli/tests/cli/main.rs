//! Whole commands as a user types them: exit code, standard output, standard error, written files.

mod anonymize;
mod attack;
mod attack_notations;
mod attack_series;
mod attack_verdicts;
mod bad_plans;
mod bad_tables;
mod bounds;
mod buckets;
mod compare;
mod contract;
mod demo;
mod diagnose;
mod every_algorithm;
mod figures;
mod harness;
mod insensitive;
mod inspect;
#[cfg(unix)]
mod interrupted;
#[cfg(unix)]
mod killed;
mod kinds;
mod left_out;
mod list;
mod masked;
mod nested;
mod nested_attack;
mod nested_compare;
mod nested_files;
mod nested_missing;
mod oracle;
mod people;
mod placed;
mod population_goals;
mod presence;
mod promises;
#[cfg(unix)]
mod races;
mod refused;
mod release_report;
mod released;
mod series;
mod series_choice;
mod series_history;
mod series_ledger;
mod series_methods;
mod series_rho;
mod series_secrets;
mod series_told;
mod several_sensitive;
mod starter_plan;
mod taxonomy;
mod unreachable;
mod verify;
mod verify_series;
