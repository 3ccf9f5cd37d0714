//! Ids in one text, as kustomizer, Flux and kpt write them into their inventories.

use kelson_model::ObjectId;

/// The group whose names may have colons. Ids of it have `__` there, since some of the places they are kept in
/// take no colon.
const RBAC: &str = "rbac.authorization.k8s.io";

/// Reads `<namespace>_<name>_<group>_<kind>`; nothing where that is no id.
pub fn parse(text: &str) -> Option<ObjectId> {
    let (namespace, rest) = text.split_once('_')?;
    let (rest, kind) = rest.rsplit_once('_')?;
    let (name, group) = rest.rsplit_once('_')?;
    Some(ObjectId {
        group: group.to_owned(),
        kind: kind.to_owned(),
        namespace: namespace.to_owned(),
        name: name.replace("__", ":"),
    })
}

/// Writes an id as [`parse`] reads it.
pub fn format(id: &ObjectId) -> String {
    let ObjectId { group, kind, namespace, name } = id;
    match group.as_str() {
        RBAC => format!("{namespace}_{}_{group}_{kind}", name.replace(':', "__")),
        _ => format!("{namespace}_{name}_{group}_{kind}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_comes_back_as_it_was() {
        for (text, shown) in [
            ("shop_web_apps_Deployment", "Deployment/shop/web"),
            ("_shop__Namespace", "Namespace/shop"),
            ("_system__node_rbac.authorization.k8s.io_ClusterRole", "ClusterRole/system:node"),
            ("shop___a___rbac.authorization.k8s.io_Role", "Role/shop/:a:"),
        ] {
            let id = parse(text).unwrap();
            assert_eq!((id.to_string().as_str(), format(&id).as_str()), (shown, text));
        }
        for text in ["", "_", "__", "name"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
