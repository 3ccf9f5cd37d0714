//! Other components that a component's places name.

/// What a place begins with that takes a value of another component.
const COMPONENTS: &str = ".nuon.components.";

/// The components whose values the places in a text take, in order, each once.
pub(super) fn named(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for place in text.split("{{").skip(1) {
        let place = place.split("}}").next().unwrap_or_default();
        for rest in place.split(COMPONENTS).skip(1) {
            let is_name = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
            let end = rest.find(|letter| !is_name(letter)).unwrap_or(rest.len());
            if end > 0 && !names.iter().any(|known| known == &rest[..end]) {
                names.push(rest[..end].to_owned());
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_names_the_component_whose_value_it_takes() {
        let text = "a: {{ .nuon.components.database.outputs.url }} {{.nuon.components.cache_2.x}}\n\
                    b: .nuon.components.none {{.nuon.install.id}} {{.nuon.components.database.y}}\n";
        assert_eq!(named(text), ["database", "cache_2"]);
        assert!(named("{{.nuon.components.").is_empty());
    }
}
