//! The words in a header that say what a column is about: English, and the common ones of German,
//! French and Spanish.

/// What a word in a header is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    Person,
    Contact,
    Number,
    Health,
    Money,
    Belief,
    Record,
    Origin,
    Age,
    Postal,
    Place,
    Demographic,
    Time,
    /// A name or number, of a person unless another word says of what.
    Label,
}

/// The topics in the order they are tried, each with its words in lower-case ASCII. A plural in `s`
/// counts as its word, and a phrase matches as words in a row.
const VOCABULARY: &[(Topic, &str)] = &[
    (
        Topic::Person,
        "surname, lastname, last name, firstname, first name, forename, givenname, \
         given name, familyname, family name, fullname, full name, maiden, birth name, \
         nickname, username, user name, login, initials, vorname, nachname, familienname, \
         geburtsname, prenom, apellido, patientname, patient name, name family, name given",
    ),
    (
        Topic::Contact,
        "email, mail, e mail, phone, telephone, tel, telefon, telefonnummer, telefono, \
         mobile, mobil, movil, handy, handynummer, portable, cellphone, fax, address, \
         adresse, anschrift, direccion, street, strasse, str, rue, calle, hausnummer, ip, \
         url, homepage, twitter, instagram, correo, courriel, telecom",
    ),
    (
        Topic::Number,
        "patient id, person id, subject id, customer id, client id, user id, employee id, \
         member id, student id, participant id, respondent id, case id, pid, uid, patient no, \
         subject no, participant no, case no, subject number, participant number, ssn, \
         social security, sozialversicherungsnummer, iban, bic, passport, reisepass, \
         passnummer, passeport, pasaporte, mrn, medical record, nhs, ahv, nir, dni, nie, \
         nif, curp, steuerid, steuernummer, tax id, taxid, patientid, patientnumber, \
         patient number, patientennummer, person number, personennummer, personalnummer, \
         staff number, employee number, insurance number, versichertennummer, \
         versicherungsnummer, policy number, account number, accountnumber, kontonummer, \
         kundennummer, customer number, card number, kreditkarte, licence, license, \
         fuehrerschein, fuhrerschein, plate, kennzeichen, matricule, aktenzeichen, \
         case number, fallnummer, record number, uuid, guid, imei, mac address, fingerprint",
    ),
    (
        Topic::Health,
        "disease, diagnosis, diagnoses, diagnose, diagnosen, diagnostic, diagnostico, dx, icd, \
         icd9, icd10, condition, illness, health, medical, medication, medicine, medikament, \
         medicament, drug, prescription, treatment, therapy, therapie, behandlung, \
         traitement, tratamiento, procedure, surgery, symptom, hiv, aids, cancer, krebs, \
         diabetes, disability, disabled, behinderung, handicap, discapacidad, krankheit, \
         maladie, enfermedad, gesundheit, sante, salud, pregnancy, pregnant, schwanger, \
         mental, psychiatric, depression, addiction, alcohol, smoker, smoking, vaccination, \
         blood, bmi, genetic, genome, allergy, hearing, vision, cognitive, childbirth, \
         medicare, medicaid",
    ),
    (
        Topic::Money,
        "salary, income, wage, pay, earnings, cost, charge, price, amount, debt, credit, \
         loan, balance, wealth, asset, mortgage, rent, tax, pension, benefit, bonus, \
         payment, spending, capital, gehalt, lohn, einkommen, kosten, schulden, kredit, \
         rente, betrag, salaire, revenu, cout, dette, salario, ingreso, coste, costo, deuda, \
         renta",
    ),
    (
        Topic::Belief,
        "religion, religious, belief, faith, church, confession, konfession, glaube, \
         croyance, creencia, party, partei, parti, partido, political, politics, politik, \
         vote, voting, ballot, union, gewerkschaft, syndicat, sindicato, orientation, \
         sexuality, orientierung, orientacion, opinion",
    ),
    (
        Topic::Record,
        "crime, criminal, offence, offense, conviction, arrest, sentence, prison, police, \
         straftat, vorstrafe, delit, delito, complaint, abuse, asylum, score, rating, exam",
    ),
    (
        Topic::Origin,
        "race, ethnicity, ethnic, ethnie, etnia, origin, herkunft, origine, origen, skin",
    ),
    (Topic::Age, "age, alter, edad"),
    (Topic::Postal, "zip, zipcode, postcode, postal, postalcode, plz, postleitzahl, cp"),
    (
        Topic::Place,
        "city, town, village, place, state, province, county, district, region, country, \
         nation, location, municipality, commune, ward, hospital, clinic, site, station, \
         school, latitude, longitude, lat, lon, lng, geo, ort, wohnort, stadt, gemeinde, \
         kreis, bezirk, land, bundesland, kanton, canton, ville, pays, departement, ciudad, \
         pais, provincia, municipio, klinik",
    ),
    (
        Topic::Demographic,
        "sex, gender, geschlecht, sexe, sexo, genre, genero, birth, birthday, birthdate, \
         dob, born, yob, geburt, geburtsdatum, geburtstag, geburtsjahr, naissance, \
         nacimiento, marital, married, maritalstatus, familienstand, civil status, \
         estado civil, etat civil, spouse, relationship, family, household, haushalt, child, \
         children, kinder, enfants, hijos, education, degree, schooling, bildung, abschluss, \
         educacion, occupation, job, profession, employment, employer, work, workclass, \
         beruf, metier, profesion, ocupacion, nationality, citizenship, native, \
         nationalitat, nationalitaet, staatsangehorigkeit, staatsangehoerigkeit, \
         nationalite, nacionalidad, language, sprache, langue, idioma, title, anrede, \
         height, weight, groesse, gewicht, veteran, military, death, divorced, widowed, \
         grade level, insurance",
    ),
    (
        Topic::Time,
        "date, datum, fecha, day, tag, jour, dia, month, monat, mois, mes, year, jahr, \
         annee, ano, time, zeit, timestamp, admission, admitted, discharge, visit, arrival, \
         departure, aufnahme, entlassung",
    ),
    (Topic::Label, "name, nom, nombre, id, identifier, key, account, konto, compte, cuenta"),
];

/// Words whose plural has another form: `tags` are no days.
const NO_PLURAL: [&str; 1] = ["tag"];

/// Words that are a label when they are the whole header.
const WHOLE: &str = "person, patient, user, customer, client, employee, member, student, subject, \
                     participant, respondent, kunde";

/// Words at the end of a header that say that it numbers something.
const NUMBERS: [&str; 6] = ["id", "identifier", "key", "number", "nr", "no"];

/// The first topic that a word of the header belongs to, and that word.
pub(super) fn topic(header: &str) -> Option<(Topic, &'static str)> {
    let parts = parts(header);
    if let [part] = &parts[..]
        && let Some(word) = WHOLE.split(", ").find(|word| part == word)
    {
        return Some((Topic::Label, word));
    }
    let find = |parts: &[String]| {
        VOCABULARY.iter().find_map(|&(topic, words)| {
            words.split(", ").find(|word| occurs(parts, word)).map(|word| (topic, word))
        })
    };
    // `DoB` falls into words that say nothing, and is one.
    let found = find(&parts).or_else(|| find(&[parts.concat()]))?;
    // The number of a visit says no more of a time than any number.
    let last = parts.last().map(String::as_str);
    let number = NUMBERS.into_iter().find(|word| last == Some(word));
    Some(number.filter(|_| found.0 == Topic::Time).map_or(found, |word| (Topic::Label, word)))
}

/// Whether a word of the header belongs to a topic, whatever its other words are about.
pub(super) fn is_about(header: &str, topic: Topic) -> bool {
    let parts = parts(header);
    let words = VOCABULARY.iter().filter(|(about, _)| *about == topic);
    words.flat_map(|(_, words)| words.split(", ")).any(|word| occurs(&parts, word))
}

/// Whether the header is about somebody's birth.
pub(crate) fn is_about_birth(header: &str) -> bool {
    const BIRTH: &str = "birth, birthday, birthdate, dob, born, geburt, geburtsdatum, geburtstag, naissance, \
                         nacimiento";
    let parts = parts(header);
    BIRTH.split(", ").any(|word| occurs(&parts, word) || parts.concat() == word)
}

fn occurs(parts: &[String], phrase: &str) -> bool {
    let n = phrase.split(' ').count();
    parts.windows(n).any(|window| {
        window.iter().zip(phrase.split(' ')).all(|(part, word)| {
            let has_plural = word.len() > 2 && !NO_PLURAL.contains(&word);
            part == word || (has_plural && part.strip_suffix('s') == Some(word))
        })
    })
}

/// The words of a header in lower-case ASCII: `patientID`, `patient_id` and `Patient-Id` have the
/// same two.
pub(super) fn parts(header: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let chars: Vec<char> = header.chars().collect();
    for (at, &c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| chars[at]);
        let after = chars.get(at + 1);
        // A new word starts at `I` in `patientID` and at `C` in `ZIPCode`.
        let starts = c.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || (before.is_uppercase() && after.is_some_and(|after| after.is_lowercase()))
            });
        if starts || !c.is_alphanumeric() {
            parts.push(String::new());
        }
        if c.is_alphanumeric() {
            let part = parts.last_mut().expect("there is always a part");
            c.to_lowercase().for_each(|c| push_plain(part, c));
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn push_plain(part: &mut String, c: char) {
    part.push(match c {
        'ä' | 'á' | 'à' | 'â' | 'ã' => 'a',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'í' | 'î' | 'ï' => 'i',
        'ö' | 'ó' | 'ô' => 'o',
        'ü' | 'ú' | 'û' | 'ù' => 'u',
        'ç' => 'c',
        'ñ' => 'n',
        'ß' => return part.push_str("ss"),
        other => other,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_fall_into_words() {
        for header in ["patient_id", "patientId", "Patient-ID", "PATIENT ID", "patientID"] {
            assert_eq!(parts(header), ["patient", "id"], "{header}");
        }
        assert_eq!(parts("ZIPCode"), ["zip", "code"]);
        assert_eq!(parts("Straße (privat)"), ["strasse", "privat"]);
        assert_eq!(parts("__"), [""; 0]);
    }

    #[test]
    fn a_word_that_says_of_what_comes_before_a_label() {
        assert_eq!(topic("country_name"), Some((Topic::Place, "country")));
        assert_eq!(topic("disease id"), Some((Topic::Health, "disease")));
        assert_eq!(topic("name"), Some((Topic::Label, "name")));
        assert_eq!(topic("Costs"), Some((Topic::Money, "cost")));
        assert_eq!(topic("visit_id"), Some((Topic::Label, "id")));
        assert_eq!(topic("visit date"), Some((Topic::Time, "date")));
        assert_eq!(topic("stage"), None);
        assert_eq!(topic("tags"), None);
        assert_eq!(topic("DoB"), Some((Topic::Demographic, "dob")));
    }

    #[test]
    fn every_word_is_found_by_itself() {
        for (_, words) in VOCABULARY {
            for word in words.split(", ") {
                assert_eq!(parts(word).join(" "), word);
                assert!(topic(word).is_some());
            }
        }
    }
}
