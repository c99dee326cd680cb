//! What the bounds of ranges were rounded to, so that nobody takes them for values of the table.

use kohort_core::{Attribute, Message, Setting, message};

/// A note about the columns whose ranges have rounded bounds, where there are any.
pub(crate) fn rounding<'a>(attributes: impl IntoIterator<Item = &'a Attribute>) -> Option<Message> {
    let of = |attribute: &Attribute| {
        Some(format!("`{}` to {}", attribute.name(), attribute.rounding()?))
    };
    let columns: Vec<String> = attributes.into_iter().filter_map(of).collect();
    (!columns.is_empty()).then(|| {
        message!(
            "bounds of ranges are rounded outward, {}: {bounds} shows the least and the greatest value of a \
             class",
            columns.join(", "),
            bounds = Setting::Bounds.to("exact")
        )
    })
}
