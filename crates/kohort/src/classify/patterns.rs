//! Numbers and texts that name a person, known by their form and their check digits.
//!
//! A form alone says little: any sixteen digits could be a card number. Where an official number has
//! check digits they are computed, so that few other numbers pass.

/// What values are, in words for a reason, and the test for one of them.
type Pattern = (&'static str, fn(&str) -> bool);

/// What nothing else looks like: one such value, also inside a text, is one too many to publish.
const CERTAIN: &[Pattern] = &[
    ("e-mail addresses", is_email),
    ("web addresses", is_url),
    ("UUIDs, which are keys of records", is_uuid),
    ("IBANs, which are bank accounts", is_iban),
    ("United States social security numbers", is_ssn),
];

/// What other values may look like by chance, those that are hardest to meet first.
const LIKELY: &[Pattern] = &[
    ("IP addresses", is_ipv4),
    ("Italian tax codes (codice fiscale)", is_codice_fiscale),
    ("Spanish identity numbers (DNI or NIE)", is_dni),
    ("Swiss insurance numbers (AHV)", is_ahv),
    ("French insurance numbers (NIR)", is_nir),
    ("payment card numbers", is_card),
    ("German tax numbers (Steuer-ID)", is_steuer_id),
    ("British NHS numbers", is_nhs),
    ("telephone numbers", is_phone),
    ("street addresses", is_street),
];

/// The first of the patterns that nothing else looks like, of any value or word of one.
pub(super) fn certain(values: &[&str]) -> Option<&'static Pattern> {
    let around = |c: char| c.is_whitespace() || ",;<>()[]\"'|".contains(c);
    let holds = |text: &str, is: fn(&str) -> bool| {
        is(text) || text.split(around).any(|word| is(word.trim_end_matches(['.', ':', '!', '?'])))
    };
    CERTAIN.iter().find(|(_, is)| values.iter().any(|text| holds(text, *is)))
}

/// All patterns, those that are hardest to meet by chance first.
pub(super) fn all() -> impl Iterator<Item = &'static Pattern> {
    CERTAIN.iter().chain(LIKELY)
}

/// The digits of a text that has only digits and `separators`.
fn digits(text: &str, separators: &[char]) -> Option<Vec<u32>> {
    text.chars().filter(|c| !separators.contains(c)).map(|c| c.to_digit(10)).collect()
}

/// The remainder of a number, given digit by digit.
fn remainder(digits: impl IntoIterator<Item = u32>, modulus: u32) -> u32 {
    digits.into_iter().fold(0, |rest, digit| (rest * 10 + digit) % modulus)
}

/// Something, one `@`, and a domain with a dot.
pub(super) fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else { return false };
    let is_plain = |c: char| !c.is_whitespace() && !"@,;<>\"".contains(c);
    let ends_in_letters = |top: &str| top.len() >= 2 && top.chars().all(char::is_alphabetic);
    !local.is_empty()
        && text.len() <= 254
        && local.chars().chain(domain.chars()).all(is_plain)
        && domain.rsplit_once('.').is_some_and(|(host, top)| {
            !host.is_empty() && !host.starts_with('.') && ends_in_letters(top)
        })
}

/// A scheme and `://`, or `www.`, and what follows.
fn is_url(text: &str) -> bool {
    let is_scheme = |scheme: &str| {
        scheme.len() >= 2
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
    };
    let is_place = |place: &str| place.len() >= 3 && !place.contains(char::is_whitespace);
    match text.split_once("://") {
        Some((scheme, place)) => is_scheme(scheme) && is_place(place),
        None => text.strip_prefix("www.").is_some_and(is_place),
    }
}

/// A house number before or after words of which one is a kind of street.
fn is_street(text: &str) -> bool {
    const KINDS: &str = " street st avenue ave road rd lane ln drive dr court ct boulevard blvd way terrace \
        crescent close square highway hwy route alley parkway apt unit suite strasse str weg platz gasse \
        allee ring ufer damm rue chemin quai calle avenida plaza paseo camino carrera via viale piazza ";
    let is_house = |word: &&str| {
        word.starts_with(|c: char| c.is_ascii_digit())
            && word.len() <= 7
            && word.chars().all(|c| c.is_alphanumeric() || "-/".contains(c))
    };
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || ",.".contains(c))
        .filter(|w| !w.is_empty())
        .collect();
    let is_kind = |word: &&str| {
        let word = word.to_lowercase().replace('ß', "ss");
        let ending = ["strasse", "str", "weg", "platz", "gasse", "allee"];
        KINDS.contains(&format!(" {word} ")) || ending.iter().any(|end| word.ends_with(end))
    };
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return false };
    words.len() >= 2 && (is_house(first) || is_house(last)) && words.iter().any(is_kind)
}

/// Groups of 8, 4, 4, 4 and 12 hexadecimal digits (RFC 9562), also as a name (`urn:uuid:`).
pub(super) fn is_uuid(text: &str) -> bool {
    let text = text.strip_prefix("urn:uuid:").unwrap_or(text);
    let lengths = text.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && text.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit())
}

/// Four numbers up to 255 with dots between.
pub(super) fn is_ipv4(text: &str) -> bool {
    text.parse::<std::net::Ipv4Addr>().is_ok()
}

/// A country, two check digits and up to 30 letters and digits, 1 modulo 97 (ISO 13616).
pub(super) fn is_iban(text: &str) -> bool {
    let text: String = text.chars().filter(|&c| c != ' ').collect();
    let form = text.is_ascii() && (15..=34).contains(&text.len());
    if !form || !text[..2].bytes().all(|b| b.is_ascii_uppercase()) {
        return false;
    }
    let mut rest = 0;
    for c in text[4..].chars().chain(text[..4].chars()) {
        // Letters count from 10, so they move the number by two digits.
        let Some(value) = c.to_digit(36).filter(|_| !c.is_ascii_lowercase()) else { return false };
        rest = (rest * if value < 10 { 10 } else { 100 } + value) % 97;
    }
    rest == 1 && text[2..4].bytes().all(|b| b.is_ascii_digit())
}

/// 13 to 19 digits with a Luhn check digit (ISO/IEC 7812), of a payment network.
pub(super) fn is_card(text: &str) -> bool {
    let Some(digits) = digits(text, &[' ', '-']) else { return false };
    if !(13..=19).contains(&digits.len()) || !(2..=6).contains(&digits[0]) {
        return false;
    }
    let luhn = |(place, &digit): (usize, &u32)| match (place % 2, digit * 2) {
        (0, _) => digit,
        (_, double) if double > 9 => double - 9,
        (_, double) => double,
    };
    digits.iter().rev().enumerate().map(luhn).sum::<u32>().is_multiple_of(10)
}

/// `AAA-GG-SSSS`, without the areas, groups and serials that were never given out.
pub(super) fn is_ssn(text: &str) -> bool {
    let parts: Vec<&str> = text.split(['-', ' ']).collect();
    let [area, group, serial] = parts[..] else { return false };
    [area.len(), group.len(), serial.len()] == [3, 2, 4]
        && parts.iter().all(|part| part.bytes().all(|b| b.is_ascii_digit()))
        && area != "000"
        && area != "666"
        && !area.starts_with('9')
        && group != "00"
        && serial != "0000"
}

/// Eleven digits: one digit of the first ten comes two or three times, and the last one is a check
/// digit after ISO 7064, MOD 11,10.
pub(super) fn is_steuer_id(text: &str) -> bool {
    let Some(digits) = digits(text, &[' ']) else { return false };
    if digits.len() != 11 || digits[0] == 0 {
        return false;
    }
    let times = |digit| digits[..10].iter().filter(|&&other| other == digit).count();
    let repeated: Vec<usize> = (0..10).map(times).filter(|&n| n > 1).collect();
    if !matches!(repeated[..], [2 | 3]) {
        return false;
    }
    let product = digits[..10].iter().fold(10, |product, digit| {
        let sum = (product + digit) % 10;
        (if sum == 0 { 10 } else { sum }) * 2 % 11
    });
    (11 - product) % 10 == digits[10]
}

/// Thirteen digits from 756 with an EAN-13 check digit.
pub(super) fn is_ahv(text: &str) -> bool {
    let Some(digits) = digits(text, &['.', ' ']) else { return false };
    let weighted = digits.iter().zip([1, 3].iter().cycle()).map(|(digit, weight)| digit * weight);
    digits.len() == 13 && digits.starts_with(&[7, 5, 6]) && weighted.sum::<u32>().is_multiple_of(10)
}

/// Ten digits, the last one a check digit modulo 11.
pub(super) fn is_nhs(text: &str) -> bool {
    let Some(digits) = digits(text, &[' ', '-']) else { return false };
    if digits.len() != 10 {
        return false;
    }
    let weighted = digits.iter().zip((2..=10).rev()).map(|(digit, weight)| digit * weight);
    let check = 11 - weighted.sum::<u32>() % 11;
    check % 11 == digits[9] && check != 10
}

/// Sex, year, month, department (2A and 2B on Corsica) and place of birth, then 97 less the rest.
pub(super) fn is_nir(text: &str) -> bool {
    let text: String = text.chars().filter(|&c| c != ' ').collect();
    let text = text.replacen("2A", "19", 1).replacen("2B", "18", 1);
    let Some(digits) = digits(&text, &[]) else { return false };
    digits.len() == 15
        && matches!(digits[0], 1 | 2)
        && remainder(digits[13..].iter().copied(), 100)
            == 97 - remainder(digits[..13].iter().copied(), 97)
}

/// Eight digits, or X, Y, Z and seven, then the letter of the number modulo 23.
pub(super) fn is_dni(text: &str) -> bool {
    const LETTERS: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";
    let text: String = text.chars().filter(|c| !matches!(c, '-' | ' ')).collect();
    if text.len() != 9 || !text.is_ascii() {
        return false;
    }
    let (number, letter) = text.split_at(8);
    let first = match &number[..1] {
        "X" => "0",
        "Y" => "1",
        "Z" => "2",
        digit => digit,
    };
    let Some(digits) = digits(&[first, &number[1..]].concat(), &[]) else { return false };
    LETTERS[remainder(digits, 23) as usize] == letter.as_bytes()[0]
}

/// Six letters, a date and place of birth, and a check letter.
pub(super) fn is_codice_fiscale(text: &str) -> bool {
    /// What a letter counts in an odd place; a digit counts as the letter of its number.
    const ODD: [u32; 26] = [
        1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24,
        23,
    ];
    let text = text.to_ascii_uppercase();
    let form = text.len() == 16
        && text.bytes().zip(*b"LLLLLLddLddLdddL").all(|(byte, kind)| match kind {
            b'L' => byte.is_ascii_uppercase(),
            // Letters stand for digits where two people would share a code.
            _ => byte.is_ascii_digit() || b"LMNPQRSTUV".contains(&byte),
        });
    let number = |byte: u8| u32::from(if byte < b'A' { byte - b'0' } else { byte - b'A' });
    let value = |(place, byte): (usize, u8)| match place % 2 {
        0 => ODD[number(byte) as usize],
        _ => number(byte),
    };
    form && text.bytes().take(15).enumerate().map(value).sum::<u32>() % 26
        == number(text.as_bytes()[15])
}

/// Digits with the marks used in telephone numbers, and a sign that they are one: `+`, a leading
/// zero, or the groups 3-3-4 of North America.
pub(super) fn is_phone(text: &str) -> bool {
    let n = text.bytes().filter(u8::is_ascii_digit).count();
    let body = text.strip_prefix('+').unwrap_or(text);
    if !body.chars().all(|c| c.is_ascii_digit() || " -./()".contains(c)) || n > 15 {
        return false;
    }
    let groups = body.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty());
    let is_american = n < text.len() && groups.map(str::len).eq([3, 3, 4]);
    (text.starts_with('+') && n >= 8)
        || (body.trim_start_matches('(').starts_with('0') && n >= 9)
        || is_american
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(is: fn(&str) -> bool, yes: &[&str], no: &[&str]) {
        for text in yes {
            assert!(is(text), "{text}");
        }
        for text in no {
            assert!(!is(text), "{text}");
        }
    }

    #[test]
    fn addresses() {
        check(
            is_email,
            &["jane.doe@example.org", "a+b@mail.example.com"],
            &["example.org", "@example.org", "a@b", "a b@example.org", "a@@example.org"],
        );
        check(is_ipv4, &["192.0.2.1", "203.0.113.255"], &["192.0.2", "192.0.2.256", "1.2"]);
        check(
            is_uuid,
            &[
                "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
                "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
            ],
            &["f81d4fae-7dec-11d0-a765", "g81d4fae-7dec-11d0-a765-00a0c91e6bf6"],
        );
        check(
            is_url,
            &["https://example.org/a", "www.example.org"],
            &["1://", "a: //b", "http://", "www", "12://34"],
        );
        check(
            is_street,
            &["12 Example Street", "7b Made-Up Rd. Apt 3", "Musterstraße 12", "3, rue du Modele"],
            &["12", "Example Street", "12 mg", "20 to 29", "Route 66 and on"],
        );
    }

    #[test]
    fn what_is_certain_is_found_inside_a_text() {
        let found = |text: &str| certain(&[text]).map(|(what, _)| *what);
        assert_eq!(found("write to (jane@example.org)."), Some("e-mail addresses"));
        assert_eq!(found("no. 078-05-1120!"), Some("United States social security numbers"));
        assert_eq!(found("flu, cold and nothing else"), None);
    }

    // Numbers in the 555-01xx range and Ofcom's 01632 960xxx are kept for examples.
    #[test]
    fn telephone_numbers() {
        check(
            is_phone,
            &[
                "+1 202 555 0143",
                "(202) 555-0143",
                "202.555.0143",
                "01632 960 123",
                "+441632960961",
            ],
            &["12345-6789", "20240131", "01067", "192.168.100.100", "1234567890", "+12"],
        );
    }

    // The test numbers that payment networks and the IBAN registry publish.
    #[test]
    fn accounts() {
        check(
            is_card,
            &["4111111111111111", "5555 5555 5555 4444", "378282246310005"],
            &["4111111111111112", "411111111111", "9111111111111111"],
        );
        check(
            is_iban,
            &[
                "GB82WEST12345698765432",
                "DE89 3704 0044 0532 0130 00",
                "FR1420041010050500013M02606",
            ],
            &["GB82WEST12345698765431", "GB82", "gb82WEST12345698765432", "GB8éWEST1234569876543"],
        );
    }

    // 078-05-1120 was printed on sample cards sold with wallets, and voided.
    #[test]
    fn social_security_numbers() {
        check(
            is_ssn,
            &["078-05-1120", "123-45-6789"],
            &[
                "000-12-3456",
                "666-12-3456",
                "900-12-3456",
                "123-00-4567",
                "123-45-0000",
                "123456789",
            ],
        );
    }

    // Sample numbers printed by the authorities or in the descriptions of the schemes.
    #[test]
    fn national_numbers() {
        check(is_nhs, &["943 476 5919", "9434765919"], &["943 476 5918", "943476591"]);
        check(
            is_steuer_id,
            &["86095742719", "36 574 261 809"],
            &["86095742718", "00000000000", "11111111111", "12345678901"],
        );
        check(is_ahv, &["756.9217.0769.85", "7569217076985"], &["756.9217.0769.84", "756"]);
        check(is_nir, &["2 55 08 14 168 025 38"], &["2 55 08 14 168 025 39", "255081416802"]);
        check(
            is_dni,
            &["12345678Z", "X1234567L", "12345678-Z"],
            &["12345678A", "X12345678", "é2345678"],
        );
        check(
            is_codice_fiscale,
            &["RSSMRA85T10A562S", "MRTMTT25D09F205Z"],
            &["RSSMRA85T10A562T", "RSSMRA85T10A562", "RSSMRA85T10A56ÀS"],
        );
    }
}
