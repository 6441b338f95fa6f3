#pragma once

namespace papilio::test {

/// Whether memory is a sanitizer's: its runtime is here, be it of this program or of its libraries.
bool runs_under_a_sanitizer();

}  // namespace papilio::test
