#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

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

namespace papilio::base_detail {

/// Seconds of a clock that only goes forward.
PAPILIO_API double wall_seconds();
/// Seconds of this thread on a core: what others take while it waits for one does not count.
PAPILIO_API double thread_seconds();

}  // namespace papilio::base_detail

namespace papilio {

/// Reference to anything that can be called with Arguments: two pointers, nothing copied, nothing
/// allocated. For parameters: what it refers to must outlive the call.
template <class Signature>
class function_ref;

template <class Result, class... Arguments>
class function_ref<Result(Arguments...)> {
 public:
  template <class Function>
    requires(!std::is_same_v<std::remove_cvref_t<Function>, function_ref> &&
             std::is_invocable_r_v<Result, Function&, Arguments...>)
  function_ref(Function&& function)
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
        call_([](void* object, Arguments... arguments) -> Result {
          return std::invoke(*static_cast<std::remove_reference_t<Function>*>(object),
                             std::forward<Arguments>(arguments)...);
        }) {
    static_assert(!std::is_function_v<std::remove_reference_t<Function>>,
                  "wrap a function in a lambda");
  }

  Result operator()(Arguments... arguments) const {
    return call_(object_, std::forward<Arguments>(arguments)...);
  }

 private:
  void* object_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace papilio
