//! What a delivery is called.

use kelson_plan::Delivery;

use crate::component::Error;
use crate::plan::DeployPlan;

/// The longest name of a delivery.
const LONGEST: usize = 50;

/// The delivery of a component: its name in lower case, with a dash for everything but letters and digits, dashes in a row
/// as one and none at the ends, cut after 50 letters. Nothing where no letter is left.
///
/// Two components may come to the same name; since an inventory says whose it is, the second is refused.
pub fn delivery_name(component: &str) -> Option<String> {
    let mut name = String::new();
    for letter in component.chars() {
        match letter.to_ascii_lowercase() {
            letter if letter.is_ascii_alphanumeric() => name.push(letter),
            _ if name.is_empty() || name.ends_with('-') => {}
            _ => name.push('-'),
        }
    }
    name.truncate(LONGEST);
    let name = name.trim_end_matches('-');
    (!name.is_empty()).then(|| name.to_owned())
}

/// What a component is known by: its name, else its id.
pub(super) fn component(plan: &DeployPlan) -> Option<&str> {
    [&plan.component_name, &plan.component_id]
        .into_iter()
        .map(String::as_str)
        .find(|name| !name.is_empty())
}

/// The delivery of a plan.
pub(super) fn delivery(
    plan: &DeployPlan,
    name: Option<&str>,
    namespace: &str,
) -> Result<Delivery, Error> {
    let name = match name {
        Some(name) => name.to_owned(),
        None => {
            let component = component(plan).ok_or_else(|| {
                Error::Plan(
                    "component_name is required, or name the delivery with --name".to_owned(),
                )
            })?;
            delivery_name(component).ok_or_else(|| {
                Error::Plan(format!(
                    "component_name `{component}` has no letter for a delivery's name: give one with --name"
                ))
            })?
        }
    };
    Delivery::new(&name, namespace).map_err(|error| Error::Plan(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delivery_is_called_after_its_component() {
        for (component, name) in [
            ("shop", Some("shop")),
            ("My Shop_2", Some("my-shop-2")),
            ("--a..b--", Some("a-b")),
            ("Ä", None),
            ("", None),
        ] {
            assert_eq!(delivery_name(component).as_deref(), name, "{component}");
        }
        let long = delivery_name(&format!("{}-{}", "a".repeat(49), "b")).unwrap();
        assert_eq!(long, "a".repeat(49));
    }
}
