#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| kelson_fuzz::engine::render(input));
