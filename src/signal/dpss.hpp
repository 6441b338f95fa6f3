#pragma once

#include <span>

namespace papilio::signal_detail {

/// The first discrete prolate spheroidal sequence (DPSS, Slepian 1978) of window.size() points and
/// time-half-bandwidth nw > 0, its largest value 1; symmetric to the bit.
void fill_dpss(std::span<double> window, double nw);

}  // namespace papilio::signal_detail
