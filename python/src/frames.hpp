#pragma once

#include <algorithm>

#include "module.hpp"
#include "ndarray.hpp"
#include "papilio/base/error.hpp"

namespace papilio::python {

/// What samples of sound are converted to.
constexpr element single{false, real_type::single_precision};

/// [frames, channels] of samples [frames] or [channels, frames].
template <class T = float>
view<const T, 2> frames_of(const char* function, const ndarray& x) {
  const auto* const data = static_cast<const T*>(x.data());
  if (x.rank() == 1) return {data, {x.extent(0), 1}, {x.strides()[0], 1}};
  if (x.rank() == 2) return {data, {x.extent(1), x.extent(0)}, {x.strides()[1], x.strides()[0]}};
  throw shape_error(base_detail::message(
      function, ": samples must be [frames] or [channels, frames], got ", x.rank(), " axes"));
}

/// Calls f(block) for blocks of the frames, without the GIL; Ctrl-C ends it after a block.
template <class T, class Function>
void in_blocks(view<const T, 2> frames, const Function& f) {
  constexpr std::size_t most = std::size_t{1} << 18;
  for (std::size_t first = 0; first < frames.extent(0); first += most) {
    f(frames.slice(0, first, std::min(most, frames.extent(0) - first)));
    end_on_signal();
  }
}

}  // namespace papilio::python
