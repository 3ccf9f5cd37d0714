//! How much an archive may ask for.

/// How much an archive may ask for. The defaults are far above what manifests need and far below what a machine has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one blob as it is stored.
    pub blob: u64,
    /// Bytes that one blob may expand to.
    pub expanded: u64,
    /// How many times longer the expanded content may be, once it is longer than `free`.
    pub ratio: u64,
    /// Bytes that a blob may expand to whatever the ratio: small archives of repetitive manifests compress very well.
    pub free: u64,
    /// Files and directories, those only named by a path included.
    pub entries: usize,
    /// Bytes of one file.
    pub file: u64,
    /// Bytes of one path.
    pub path: usize,
    /// Directories above one file.
    pub depth: usize,
    /// Compressed streams set one after the other.
    pub members: u32,
    /// Bytes that zstd may look back.
    pub window: u64,
}

impl Limits {
    /// The longest expansion of a blob of this size.
    pub(crate) fn expansion(&self, compressed: u64) -> u64 {
        self.expanded.min(compressed.saturating_mul(self.ratio).max(self.free))
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            blob: 256 << 20,
            expanded: 1 << 30,
            ratio: 200,
            free: 64 << 20,
            entries: 50_000,
            file: 256 << 20,
            path: 1024,
            depth: 64,
            members: 64,
            window: 8 << 20,
        }
    }
}
