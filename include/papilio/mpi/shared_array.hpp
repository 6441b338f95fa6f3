#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/fft/distribution.hpp"

namespace papilio::mpi {

/// Returns an array of a box's extents, of zeros.
template <class T>
tensor<T> make_array(const box& part) {
  return tensor<T>(part.extents);
}

/// Memory of this rank that the other ranks of its communicator reach, where all of them are on one
/// node with room for it in /dev/shm; elsewhere memory of this rank alone. Making, moving to and
/// destroying one are collective.
class PAPILIO_API shared_memory {
 public:
  /// Allocates `bytes` on each rank; the communicator is duplicated.
  /// Throws invalid_argument for MPI_COMM_NULL or where MPI is not initialised; resource_error for
  /// memory; error for what MPI reports.
  shared_memory(MPI_Comm communicator, std::size_t bytes);
  shared_memory(shared_memory&&) noexcept;
  shared_memory& operator=(shared_memory&&) noexcept;
  ~shared_memory();

  void* data() const;
  bool is_shared() const;

  struct state;
  const state& inside() const { return *state_; }

 private:
  std::unique_ptr<state> state_;
};

/// Row-major array of a box, of zeros, in shared_memory: where a transform's last exchange goes by
/// windows, the ranks write their parts of such a result to where they belong, which saves a copy of
/// it. T is trivially copyable.
///
///   auto y = papilio::mpi::make_array<std::complex<double>>(MPI_COMM_WORLD, plan.output());
///   plan.forward(x, y);  // on every rank
template <class T>
class shared_array {
 public:
  /// Collective over the communicator. Throws as shared_memory, and resource_error where the size in
  /// bytes overflows.
  shared_array(MPI_Comm communicator, const box& part)
      : extents_(part.extents),
        size_(checked_count(part.extents, "mpi::make_array: size")),
        memory_(communicator, checked_multiply(size_, sizeof(T), "mpi::make_array: bytes")) {
    std::ranges::fill(flat(), T());
  }

  T* data() { return static_cast<T*>(memory_.data()); }
  const T* data() const { return static_cast<const T*>(memory_.data()); }
  std::size_t size() const { return size_; }
  std::span<const std::size_t> extents() const { return extents_; }
  std::span<T> flat() { return {data(), size_}; }
  std::span<const T> flat() const { return {data(), size_}; }
  tensor_view<T> view() { return {data(), extents_}; }
  tensor_view<const T> view() const { return {data(), extents_}; }
  operator tensor_view<T>() { return view(); }
  operator tensor_view<const T>() const { return view(); }
  const shared_memory& memory() const { return memory_; }

 private:
  std::vector<std::size_t> extents_;
  std::size_t size_;
  shared_memory memory_;
};

/// Returns an array of a box in memory shared by the ranks of a node. Collective.
template <class T>
shared_array<T> make_array(MPI_Comm communicator, const box& part) {
  return {communicator, part};
}

}  // namespace papilio::mpi
