//! What may be shown around of a receipt.
//!
//! The figures of a receipt are about the whole table. A loss is a share of a column's width, and who was left
//! out may be as far away as nobody else: from the loss of each column, the rows and the release such a
//! person's values can be calculated. What is shown around is made of the rows that are published, as if there
//! had been no others, and rounded.

use super::{Figures, Receipt};

/// Figures of a release that are made of its published rows.
#[derive(Clone, Debug, Default)]
pub struct PublishedFigures {
    /// Every metric, and why some mean nothing.
    pub figures: Figures,
    /// The loss that was to be kept small, per cell.
    pub loss_per_cell: Option<f64>,
}

impl Receipt {
    /// What is shown around: no figure depends on who was left out, and none has more than two digits.
    #[must_use]
    pub fn shown_around(&self) -> Self {
        let mut shown = self.clone();
        if let Some(PublishedFigures { figures: (metrics, undefined), loss_per_cell }) =
            &self.published
        {
            shown.metrics.clone_from(metrics);
            shown.undefined.clone_from(undefined);
            shown.loss_per_cell = *loss_per_cell;
            // It is about releases of the whole table.
            shown.bound_per_cell = None;
        }
        let is_count = |id: &str| id.starts_with("class_size") || id == "dm";
        for (_, value) in shown.metrics.iter_mut().filter(|(id, _)| !is_count(id)) {
            *value = rounded(*value);
        }
        shown.loss_per_cell = shown.loss_per_cell.map(rounded);
        shown.bound_per_cell = shown.bound_per_cell.map(rounded);
        shown
    }
}

/// A figure with two significant digits.
pub fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let places = 1.0 - value.abs().log10().floor();
    let unit = 10.0_f64.powf(places);
    (value * unit).round() / unit
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn figures_have_two_digits() {
        let all = [0.004_321, 0.123_4, 0.999, 1.0, 12.34, 51_234.0, 0.0].map(rounded);
        assert_eq!(
            all.map(|one| format!("{one:.4}")).join(" "),
            "0.0043 0.1200 1.0000 1.0000 12.0000 51000.0000 0.0000"
        );
    }
}
