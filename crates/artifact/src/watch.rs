//! How far transfers are, for whoever wants to show it.

use std::fmt;
use std::sync::Arc;

use crate::Digest;

/// One step of one transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// Content begins to move.
    Begun {
        /// Which content.
        digest: Digest,
        /// How many bytes it has.
        size: u64,
    },
    /// Some of it has moved. After a retry, bytes that moved before count again.
    Moved {
        /// Which content.
        digest: Digest,
        /// How many bytes since the last step.
        bytes: u64,
    },
    /// All of it has moved and been checked.
    Done {
        /// Which content.
        digest: Digest,
    },
    /// It was there already.
    There {
        /// Which content.
        digest: Digest,
    },
}

/// Is told about transfers; by default nobody is.
#[derive(Clone, Default)]
pub struct Watch(pub Option<Arc<dyn Fn(Transfer) + Send + Sync>>);

impl Watch {
    /// Tells about every step.
    pub fn new(tell: impl Fn(Transfer) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(tell)))
    }

    pub(crate) fn tell(&self, transfer: Transfer) {
        if let Some(tell) = &self.0 {
            tell(transfer);
        }
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0.is_some() { "Watch(told)" } else { "Watch(none)" })
    }
}
