#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include "papilio/base/export.hpp"

namespace papilio {
namespace base_detail {

using loop_body = void (*)(void* context, std::size_t index);
PAPILIO_API void parallel_for(std::size_t count, int threads, loop_body body, void* context);

}  // namespace base_detail

/// Number of threads that `threads` asks for: itself, at most eight for each core that the process
/// may use, or one for each core where 0.
/// invalid_argument if negative.
PAPILIO_API int thread_count(int threads);

/// Calls body(0) ... body(count - 1), each once, on `threads` threads (0: every core), and returns
/// when all are done. Which thread takes which index is not specified; a body that writes only what
/// belongs to its index makes the result independent of the number of threads. The first exception
/// thrown by a body is rethrown here; bodies not yet begun are then skipped.
template <class Body>
void parallel_for(std::size_t count, int threads, Body&& body) {
  using body_type = std::remove_reference_t<Body>;
  base_detail::parallel_for(
      count, threads,
      [](void* context, std::size_t index) { (*static_cast<body_type*>(context))(index); },
      const_cast<void*>(static_cast<const void*>(std::addressof(body))));
}

}  // namespace papilio
