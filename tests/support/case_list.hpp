#pragma once

namespace papilio::test {

/// Expects the ids in the file at `path` (lines; "#" begins a comment, the first line is their
/// number) to be those of all parametrised tests of this program, each once.
void expect_registered(const char* path);

}  // namespace papilio::test
