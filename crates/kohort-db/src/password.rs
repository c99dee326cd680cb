//! Passwords: where they may come from, and where they never go.

use std::fmt;

use zeroize::Zeroizing;

/// A password, which no message shows.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(Zeroizing<String>);

impl Password {
    /// A password.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

/// The password of the first line of PostgreSQL's pass file that fits: `host:port:database:user:password`, where
/// `*` fits anything and `\` makes the next character an ordinary one.
pub fn in_pass_file(
    file: &str,
    (host, port, database, user): (&str, u16, &str, &str),
) -> Option<Password> {
    let port = port.to_string();
    let wanted = [host, &port, database, user];
    let lines = file.lines().filter(|line| !line.starts_with('#'));
    lines.map(fields).find_map(|fields| {
        let (password, others) = fields.split_last()?;
        let fits = |(field, wanted): (&String, &&str)| field == "*" || field == wanted;
        let is_right = others.len() == wanted.len() && others.iter().zip(&wanted).all(fits);
        is_right.then(|| Password::new(password.as_str()))
    })
}

/// The five fields of a line; what follows the fourth colon is the password.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        if character == ':' && fields.len() < 5 {
            fields.push(String::new());
            continue;
        }
        let field = fields.last_mut().expect("there is always one");
        match character {
            '\\' => field.extend(characters.next()),
            other => field.push(other),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# comment\nother:5432:*:me:wrong\nh\\:1:5432:*:me:a:b\\\\c\n*:*:*:*:last\n";

    #[test]
    fn the_first_line_that_fits_counts() {
        let found = |host| in_pass_file(FILE, (host, 5432, "d", "me"));
        assert_eq!(found("h:1"), Some(Password::new("a:b\\c")));
        assert_eq!(found("h"), Some(Password::new("last")));
        assert_eq!(in_pass_file("h:5432:d:me\n", ("h", 5432, "d", "me")), None);
    }

    #[test]
    fn a_password_is_not_shown() {
        assert_eq!(format!("{:?}", Password::new("secret")), "Password(…)");
    }
}
