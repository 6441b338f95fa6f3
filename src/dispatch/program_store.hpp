#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "papilio/base/vocabulary.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/host_model.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/dispatch/placement.hpp"

namespace papilio::dispatch_detail {

/// An accelerator's cache of operations, bounded by kept_operations: programs with their tables,
/// and decisions between host and device.
class program_store {
 public:
  /// All that decides a program: the operation and its precision. All that decides a placement: the
  /// submissions, and the host's threads, backend and model.
  struct key {
    operation what = {};
    precision_options precision = {};
    int threads = 0;
    std::string backend = {};
    std::vector<submission> submissions = {};
    std::optional<host_model> host = {};
    bool operator==(const key&) const = default;
  };
  using shared_program = std::shared_ptr<const device_program>;

  /// The mutex of the accelerator, which does one thing at a time: every user holds it.
  std::recursive_mutex& mutex() { return mutex_; }

  /// The backend's list of runs while they are captured; else null.
  std::shared_ptr<void> capturing;
  /// Whether operations on device arrays only begin (accelerator::set_asynchronous).
  bool is_asynchronous = false;

  shared_program program(const key& k, const std::function<shared_program()>& build);
  bool decision(const key& k, const std::function<bool()>& decide);
  kept_operations kept();

 private:
  template <class Value>
  struct entry {
    key k;
    Value value;
    double key_bytes;
  };
  template <class Value>
  struct entries {
    std::list<entry<Value>> list = {};
    double key_bytes = 0;
  };
  template <class Value>
  static std::optional<Value> find(entries<Value>& kept, const key& k);
  template <class Value>
  static void keep(entries<Value>& kept, const key& k, Value value);
  template <class Value>
  static void drop_last(entries<Value>& kept);

  std::recursive_mutex mutex_;
  entries<shared_program> programs_;
  entries<bool> decisions_;
  double table_bytes_ = 0;
};

}  // namespace papilio::dispatch_detail
