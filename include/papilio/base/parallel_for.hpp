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

/// Returns the number of threads used for a request: `threads`, but at most eight for each core
/// that the process may use; one for each core if `threads` is 0.
/// Throws invalid_argument if `threads` is negative.
PAPILIO_API int thread_count(int threads);

/// Asked by the thread that made a call, between the parts of its long loops. May throw anything to end
/// the call; what the call had to write is then written in part, and plans can be used on.
using interruption = void (*)();

/// Sets what is asked in the calls of this thread, nothing where null; returns what was asked before.
PAPILIO_API interruption exchange_interruption(interruption asked) noexcept;

/// Calls body(0) ... body(count - 1), each once, on `threads` threads (0: every core), and returns
/// when all are done. The thread that takes an index is not specified: the result does not depend
/// on the number of threads if each call writes only what belongs to its index.
///
/// Throws invalid_argument if `threads` is negative, and rethrows the first exception of a body;
/// the bodies not yet begun are then skipped.
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

/// Seconds of a monotonic clock.
PAPILIO_API double wall_seconds();
/// Seconds that this thread has run on a core, without the time it waited for one.
PAPILIO_API double thread_seconds();

}  // namespace papilio::base_detail

namespace papilio {

/// Callable reference of two pointers to anything that takes Arguments; nothing is copied or
/// allocated. Use it for parameters: the object that it refers to must outlive the call.
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
