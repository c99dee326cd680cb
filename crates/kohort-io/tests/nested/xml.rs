//! XML of every shape, and between XML and JSON.

use kohort_io::{NestedFormat, NestedOptions, read_nested};

use super::{read, shown, try_read, written};

const PATIENTS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<hospital xmlns:x="urn:x">
<patient id="1"><birth_year>1980</birth_year><visit day="mon"><diagnosis>flu</diagnosis></visit><visit day="tue"><diagnosis>cold &amp; cough</diagnosis></visit><allergy>nuts</allergy><allergy/></patient>
<patient id="2"><birth_year/><x:note lang="en">says &lt;hi&gt;</x:note></patient>
</hospital>
"#;

#[test]
fn elements_become_branches_and_columns() {
    let nested = read("patients.xml", PATIENTS).nested;
    assert_eq!(
        shown(&nested),
        [
            "<> @id|birth_year",
            "1|1980",
            "2|",
            "<visit[]> visit[].@day|visit[].diagnosis",
            "0: mon|flu",
            "0: tue|cold & cough",
            "<allergy[]> allergy[]",
            "0: nuts",
            "0: ",
            "<x:note[]> x:note[].@lang|x:note[].#text",
            "1: en|says <hi>",
        ]
    );
    assert_eq!(written(&nested, NestedFormat::Xml(None)), PATIENTS);
}

#[test]
fn namespaces_around_the_records_are_those_of_the_root() {
    let text = "<r xmlns:x='urn:x' xmlns='urn:r'><head xmlns:h='urn:h'/><list xmlns:x='urn:y'><p x:n='1'/></list></r>";
    let options = NestedOptions { records: Some("p".to_owned()), ..NestedOptions::default() };
    let nested = try_read("p.xml", text.as_bytes(), &options).unwrap().nested;
    assert_eq!(
        written(&nested, NestedFormat::Xml(None)),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<r xmlns=\"urn:r\" xmlns:x=\"urn:y\">\n<p x:n=\"1\"/>\n</r>\n"
    );
}

#[test]
fn spaces_between_tags_are_no_text() {
    let pretty = "<r>\n  <p>\n    <a>\n x </a>\n    <b> </b>\n  </p>\n</r>";
    let nested = read("p.xml", pretty).nested;
    assert_eq!(shown(&nested), ["<> a|b", "\n x |"]);
    let spaces = "<r><p><b>&#32;</b><c><![CDATA[ ]]></c></p></r>";
    assert_eq!(shown(&read("p.xml", spaces).nested), ["<> b|c", " | "]);
}

#[test]
fn what_is_left_out_is_told() {
    let text = "<?xml version='1.0'?><!DOCTYPE r SYSTEM 'r.dtd'><!-- c --><r made='today'>loose\n\
                <?go on?><p>x<b/>y</p></r>";
    let read = read("p.xml", text);
    assert_eq!(shown(&read.nested), ["<> b|#text", "|xy"]);
    assert_eq!(
        read.notes,
        [
            "the DOCTYPE: left out",
            "comments: left out",
            "attributes of elements around the records: left out",
            "text beside the records: left out",
            "processing instructions: left out",
            "the places of texts between elements: left out",
        ]
    );
    let told = read.nested.layout().left_out.iter().map(|what| format!("{what}: left out"));
    assert_eq!(read.notes, told.collect::<Vec<_>>());
}

#[test]
fn records_are_named() {
    let text = "<r><head><p>no</p></head><list><person n='1'/><person n='2'/></list></r>";
    let options = NestedOptions { records: Some("person".to_owned()), ..NestedOptions::default() };
    let read = try_read("p.xml", text.as_bytes(), &options).unwrap();
    assert_eq!(shown(&read.nested), ["<> @n", "1", "2"]);
    let notes = ["elements beside the records: left out", "text beside the records: left out"];
    assert_eq!(read.notes, notes);
    let error = try_read("p.xml", text.as_bytes(), &NestedOptions::default()).unwrap_err();
    let expected = "p.xml: has records `head` and `list`: say which of them is one";
    assert_eq!(error.to_string(), expected);
    let options = NestedOptions { records: Some("man".to_owned()), ..NestedOptions::default() };
    let error = try_read("p.xml", text.as_bytes(), &options).unwrap_err();
    assert_eq!(error.to_string(), "p.xml: has no element `man`");
}

#[test]
fn a_folder_has_a_record_in_each_file() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("1.xml", "<p><a>1</a></p>");
    write("2.xml", "<p><a>2</a><a>3</a></p>");
    let source = folder.path().to_str().unwrap();
    let options = NestedOptions::default();
    let read = read_nested(source, &options, &|_, _| {}).unwrap();
    assert_eq!(shown(&read.nested), ["<> ", "", "", "<a[]> a[]", "0: 1", "1: 2", "1: 3"]);
    assert_eq!(
        written(&read.nested, NestedFormat::Xml(None)),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<records>\n<p><a>1</a></p>\n\
         <p><a>2</a><a>3</a></p>\n</records>\n"
    );
    write("3.json", "[]");
    let error = read_nested(source, &options, &|_, _| {}).unwrap_err();
    assert!(
        error.to_string().ends_with("has JSON and XML side by side: read one of them at a time")
    );
}

#[test]
fn json_is_written_as_xml_and_the_other_way_round() {
    let json =
        r#"[{"@id":7,"first name":"A<","v":[{"d":null},{"e":[]}],"m":[[1,2],[3]],"o":{"x":true}}]"#;
    let nested = read("p.json", json).nested;
    assert_eq!(
        written(&nested, NestedFormat::Xml(None)),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<records>\n<record id=\"7\">\
         <first_x0020_name>A&lt;</first_x0020_name><v><d/></v><v/><m><item>1</item><item>2</item></m>\
         <m><item>3</item></m><o><x>true</x></o></record>\n</records>\n"
    );
    let nested = read("patients.xml", PATIENTS).nested;
    assert_eq!(
        written(&nested, NestedFormat::JsonLines(None)),
        "{\"@id\":\"1\",\"birth_year\":\"1980\",\"visit\":[{\"@day\":\"mon\",\"diagnosis\":\"flu\"},\
         {\"@day\":\"tue\",\"diagnosis\":\"cold & cough\"}],\"allergy\":[\"nuts\",\"\"]}\n\
         {\"@id\":\"2\",\"birth_year\":\"\",\"x:note\":[{\"@lang\":\"en\",\"#text\":\"says <hi>\"}]}\n"
    );
}

#[test]
fn a_character_that_xml_lacks_is_refused_by_its_path() {
    let nested = read("p.json", r#"[{"v":[{"secret":"a\u0001"}]}]"#).nested;
    let mut out = Vec::new();
    let error = kohort_io::write_nested(&nested, NestedFormat::Xml(None), &mut out).unwrap_err();
    let expected = "p.json, `v[].secret`: a value has a character that XML cannot hold";
    assert_eq!(error.to_string(), expected);
    assert!(out.is_empty());
}

#[test]
fn a_declared_encoding_is_followed() {
    let text = b"<?xml version='1.0' encoding='ISO-8859-1'?><r><p><a>Jos\xe9 1\xe9</a></p></r>";
    let read = try_read("p.xml", text, &NestedOptions::default()).unwrap();
    assert_eq!(shown(&read.nested), ["<> a", "José 1é"]);
    let text: Vec<u8> = "\u{feff}<?xml version='1.0' encoding='UTF-16'?><r><p><a>é</a></p></r>"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let read = try_read("p.xml", &text, &NestedOptions::default()).unwrap();
    assert_eq!(shown(&read.nested), ["<> a", "é"]);
    let text = b"<?xml version='1.0' encoding='EBCDIC'?><r><p/></r>";
    let error = try_read("p.xml", text, &NestedOptions::default()).unwrap_err();
    let expected = "p.xml: is in an encoding that is not read: save it as UTF-8";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn an_element_is_what_it_is_known_to_be() {
    let text = "<r><p><a>1</a><b>2</b><c>3</c></p></r>";
    assert_eq!(shown(&read("p.xml", text).nested), ["<> a|b|c", "1|2|3"]);
    let paths = ["a[]", "b[].@id", "b[].#text", "c"].map(str::to_owned).to_vec();
    let options = NestedOptions { paths, ..NestedOptions::default() };
    let read = try_read("p.xml", text.as_bytes(), &options).unwrap();
    assert_eq!(shown(&read.nested), ["<> c", "3", "<a[]> a[]", "0: 1", "<b[]> b[].#text", "0: 2"]);
    assert!(
        written(&read.nested, NestedFormat::Xml(None)).contains("<p><a>1</a><b>2</b><c>3</c></p>")
    );
}
