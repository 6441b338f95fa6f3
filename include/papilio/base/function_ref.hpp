#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

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
