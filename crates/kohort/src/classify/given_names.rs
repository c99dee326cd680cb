//! Common given names, by which a column of names is known whatever its header says.

/// Given names that are common in English, German, French, Italian and Spanish, and are seldom
/// anything else; in lower-case ASCII.
const NAMES: &str = " aaron abigail adam adriana agnes alan albert alejandro alessandro alexander alexandra \
    alice alicia alison amanda amelia amy ana andrea andreas andrew angela anita ann anna anne annie anthony \
    antoine antonio barbara beatrice benjamin bernard bernd bettina brandon brenda brian bruno camille carl \
    carla carlos carmen carol carolina caroline catherine cecilia charles christian christina christine \
    christopher claire clara claudia claudio cristina cynthia daniel daniela david deborah dennis diana diego \
    dieter dominique donald donna dorothy edith eduardo edward elena elisabeth elizabeth ellen emily emma \
    enrique eric erika ernst esther ethan eva evelyn fabian fatima felix fernando francesca francesco francisco \
    francois frank franz friedrich gabriel gabriela gabriele gary george gerhard giovanni giulia giuseppe \
    gregory guillaume gustavo hannah hans heather heike heinz helen helena helga henri henry hugo ines inge \
    ingrid irene isabel isabella jacob jacqueline jacques james jan jane janet javier jean jeffrey jennifer \
    jessica joan johann johannes john jonas jonathan jorge jose joseph joshua juan juana judith julia julie \
    juliette julio jurgen karen karin karl katharina katherine kathleen kevin kimberly klaus lara larry laura \
    lauren laurent lea lena leon leonardo leonie linda lisa lorenzo louise luca lucas lucia lucie luigi luis \
    luisa lukas manfred manuel manuela marco marcos margaret maria marie mariana marion mario markus marta \
    martha martin martina mary mathieu matteo matthew matthias maximilian megan melanie melissa michael michel \
    michelle miguel mohammed monica monika nancy natalie nathalie nathan nicholas nicolas nicole nina noah olga \
    olivia olivier oscar pablo pamela paolo pascal patricia patrick paul paula pedro peter petra philipp \
    philippe pierre rachel rafael rainer ralph ramon raul raymond rebecca regina renate ricardo richard robert \
    roberto roger roland ronald rosa ruth ryan sabine samantha samuel sandra sara sarah scott sebastian sergio \
    sharon simon simone sofia sophia sophie stefan stefano stephanie stephen steven susan susanne sylvia teresa \
    theresa thomas timothy tobias ulrich ursula uwe valentina valerie vanessa veronica victoria vincent virginia \
    walter werner william wolfgang yvonne zoe ";

/// Whether a short text of words holds a common given name. Digits after a name do not count: made-up
/// records have them.
pub(super) fn is_in(text: &str) -> bool {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || ",.".contains(c))
        .filter(|w| !w.is_empty())
        .collect();
    let is_name = |word: &&str| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_word = word.len() > 2 && word.bytes().all(|b| b.is_ascii_alphabetic());
        is_word && NAMES.contains(&format!(" {} ", word.to_ascii_lowercase()))
    };
    words.len() <= 5 && words.iter().any(is_name)
}
