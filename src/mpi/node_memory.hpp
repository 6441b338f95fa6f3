#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/internal.hpp"
#include "mpi/communicator.hpp"
#include "papilio/base/array.hpp"
#include "papilio/mpi/shared_array.hpp"

namespace papilio::mpi {

/// Bytes that windows may take on a node, if /dev/shm has so many. Tests lower it.
PAPILIO_INTERNAL std::size_t& most_window_bytes();

/// Whether ranks can share windows.
struct window_answer {
  bool is_one_node = true, has_room = true;
  std::string reason;  ///< against it; empty where they can

  bool yes() const { return is_one_node && has_room; }
};

/// Collective: whether the ranks are on one node, whose /dev/shm has room for windows of so many
/// bytes of each. Open MPI 4.1 ends ranks by a signal where it has not, so that it is asked before.
PAPILIO_INTERNAL window_answer ask_for_windows(const communicator& all, std::size_t bytes);

/// Memory of this rank: a part of a window, which the other ranks reach, or ordinary.
class node_memory {
 public:
  node_memory() = default;
  /// Collective. For shared memory the ranks have been answered yes.
  node_memory(const communicator& all, std::size_t bytes, bool shared);
  node_memory(node_memory&& other) noexcept;
  node_memory& operator=(node_memory&& other) noexcept;
  ~node_memory();

  bool is_shared() const { return window_ != MPI_WIN_NULL; }
  template <class E>
  E* as() const {
    return static_cast<E*>(parts_.empty() ? nullptr : parts_[own_]);
  }
  /// Memory of another rank, if it is shared.
  template <class E>
  E* of(int rank) const {
    return static_cast<E*>(parts_[static_cast<std::size_t>(rank)]);
  }
  /// Collective: every rank sees what all have written before.
  void synchronize(const communicator& all) const;

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  array<std::byte, 1> ordinary_;
  std::vector<void*> parts_;  // of the ranks; of this one alone if it is ordinary
  std::size_t own_ = 0;
};

struct shared_memory::state {
  communicator all;
  node_memory memory;
  std::int64_t number = 0;  // of those that rank 0 has made, where it is shared
};

/// Collective: the shared memory that `out` is on all ranks; null where it is not that of the same
/// array on all.
const node_memory* agreed_memory(const communicator& all, const shared_memory* out);

}  // namespace papilio::mpi
