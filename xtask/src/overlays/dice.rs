//! A small seeded source of random numbers (splitmix64).

/// A sequence of random choices that depends on nothing but its seed.
pub(super) struct Dice {
    state: u64,
}

impl Dice {
    /// Starts the sequence of `seed`.
    pub(super) fn new(seed: u64) -> Self {
        // Neighbouring seeds would otherwise start with neighbouring states.
        let mut dice = Self { state: seed ^ 0x5DEE_CE66_D1CE_4E5B };
        dice.next();
        dice
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; zero when there is none.
    pub(super) fn below(&mut self, end: usize) -> usize {
        let end = end.max(1) as u64;
        (self.next() % end) as usize
    }

    /// A number from `low` to `high`, both included.
    pub(super) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// Says yes in `percent` of a hundred cases.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of `choices`, which must not be empty.
    pub(super) fn pick<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }

    /// Puts `items` into a random order.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}
