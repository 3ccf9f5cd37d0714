//! `commonAnnotations`.

use kelson_yaml::Touch;

use crate::decode::value::Map;
use crate::fault::Result;
use crate::fieldspec::Specs;
use crate::resource::Resource;

/// Sets every annotation at every field of `specs`.
pub(crate) fn apply(
    resource: &mut Resource,
    annotations: &Map,
    specs: &Specs,
    touch: Touch,
) -> Result<bool> {
    super::pairs::set(resource, annotations, specs, touch)
}
