#pragma once

#include <nanobind/nanobind.h>

#include <mutex>

namespace papilio::python {

/// Lock of an object whose calls release the GIL: one thread at a time, the others wait without it.
class exclusively {
 public:
  explicit exclusively(std::mutex& of) : lock_(of, std::try_to_lock) {
    if (lock_.owns_lock()) return;
    const nanobind::gil_scoped_release released;
    lock_.lock();
  }

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace papilio::python
