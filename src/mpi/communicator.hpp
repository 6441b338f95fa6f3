#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/internal.hpp"

namespace papilio::mpi {

/// Throws error with MPI's text unless the call succeeded.
void check(int code, const char* call);

/// Communicator of our own, whose errors are returned and not fatal.
class PAPILIO_INTERNAL communicator {
 public:
  /// Duplicates one. Throws invalid_argument for MPI_COMM_NULL or where MPI is not initialised.
  explicit communicator(MPI_Comm original, const char* function);
  communicator(communicator&& other) noexcept;
  communicator& operator=(communicator&& other) noexcept;
  ~communicator();

  MPI_Comm get() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }

  /// The ranks of the same colour, in their order.
  communicator split(int colour) const;

  /// Calls `work`, which makes no calls of MPI, on every rank. Where it throws an error on any, the
  /// first such rank's error is thrown on all, of the same type and naming the rank.
  void agree(const std::function<void()>& work) const;

  /// Throws invalid_argument on every rank unless all pass the same numbers.
  void require_equal(const char* function, std::span<const std::int64_t> numbers) const;

 private:
  communicator() = default;
  void adopt(MPI_Comm comm);

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
};

}  // namespace papilio::mpi
