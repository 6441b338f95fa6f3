#pragma once

#include <string>
#include <vector>

namespace papilio::test {

/// Runs of the catalog's kernels: "fft n=1|7 batch=2" is two of them, with settings as of
/// `papilio profile`.
std::vector<std::string> device_runs();

}  // namespace papilio::test
