//! The tables of the benchmarks, and the time they take.

use std::fmt::Write;
use std::path::Path;

use kohort::load::assign_roles;
use kohort::plan::Plan;
use kohort_core::Dataset;

/// Which table is wanted.
pub(crate) struct Wanted<'a> {
    /// A folder with a table and `hierarchies/`; without one the table is the made-up census.
    pub(crate) folder: Option<&'a Path>,
    /// The quasi-identifiers of the census.
    pub(crate) census: &'a [&'a str],
    /// The first rows alone, or this many made-up people.
    pub(crate) rows: Option<usize>,
    /// Whether numeric columns are published as ranges.
    pub(crate) exact: bool,
    /// The column that is sensitive.
    pub(crate) sensitive: Option<&'a str>,
}

/// The table with every other column a quasi-identifier.
pub(crate) fn load(wanted: &Wanted<'_>) -> Dataset {
    let mut text = Vec::new();
    if let Some(folder) = wanted.folder {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let all = std::fs::read(folder.join(format!("{name}.csv"))).unwrap();
        let lines = all.split_inclusive(|&byte| byte == b'\n');
        let n = wanted.rows.map_or(usize::MAX, |rows| rows + 1);
        lines.take(n).for_each(|line| text.extend_from_slice(line));
    }
    load_lines(wanted, text, None)
}

/// The table of these lines, with the taxonomies of the folder; or the census. One column may be left out.
pub(crate) fn load_lines(wanted: &Wanted<'_>, mut text: Vec<u8>, without: Option<&str>) -> Dataset {
    let mut plan = String::from("[attributes]\n");
    let is_sensitive = |column: &str| wanted.sensitive == Some(column);
    let role = |column: &str| if is_sensitive(column) { "sensitive" } else { "quasi" };
    if let Some(folder) = wanted.folder {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let header = text.split(|&byte| byte == b'\n').next().unwrap();
        let header = String::from_utf8_lossy(header).into_owned();
        for column in header.trim().split(';').filter(|&column| Some(column) != without) {
            let file = folder.join(format!("hierarchies/{name}_hierarchy_{column}.csv"));
            let file = file.canonicalize().unwrap();
            let (file, role) = (file.display(), role(column));
            let _ = writeln!(plan, "'{column}' = {{ role = \"{role}\", taxonomy = \"{file}\" }}");
        }
    } else {
        let rows = wanted.rows.unwrap_or(30_000) as u64;
        kohort::demo::write_csv(kohort::demo::Data::Census, rows, 7, &mut text).unwrap();
        for &column in wanted.census {
            let _ = writeln!(plan, "{column} = \"{}\"", role(column));
        }
    }
    let path = std::env::temp_dir().join(format!("kohort-bench-{}.csv", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let options = kohort::Options::default();
    let table = kohort::read_table(&path.to_string_lossy(), &options, &|_, _| {}).unwrap().table;
    std::fs::remove_file(&path).unwrap();
    let mut plan = Plan::parse("bench", &plan).unwrap();
    if wanted.exact {
        for (name, attribute) in &mut plan.attributes {
            if table.column(name).unwrap().value_type().is_ordered() && !is_sensitive(name) {
                *attribute = kohort::plan::AttributePlan::Role(kohort::plan::RoleName::Quasi);
            }
        }
    }
    assign_roles(&plan, table).unwrap().value
}

/// User and system time of this process so far.
pub(crate) fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> =
        text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}
