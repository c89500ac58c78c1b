//! Messages that the compiler words: each case is one mistake, and one error.

#[test]
fn one_mistake_is_one_error() {
    trybuild::TestCases::new().compile_fail("tests/ui/cases/*.rs");
}
