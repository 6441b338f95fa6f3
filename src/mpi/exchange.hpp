#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mpi/communicator.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/fft/distribution.hpp"

namespace papilio::mpi {

using base_detail::strided;

/// Counts and places of elements as those of rows of `row` elements, the most that divide them all.
struct row_counts {
  std::size_t row = 1;
  std::vector<int> counts, places;
};
/// Throws resource_error if a count or place exceeds 2^31 - 1 rows.
PAPILIO_INTERNAL row_counts in_rows(std::span<const std::size_t> counts);

/// Copies elements, [extents] of any strides.
template <class E>
void copy_box(const E* in, std::span<const std::ptrdiff_t> in_strides, E* out,
              std::span<const std::ptrdiff_t> out_strides, std::span<const std::size_t> extents);

/// The messages that take an array from one distribution to another: what a rank sends lies rank by
/// rank, each part row-major, and so does what it receives.
template <class E>
class exchange {
 public:
  /// Collective over `all`.
  exchange(const communicator& all, const distribution& from, const distribution& to);

  const box& source() const { return source_; }
  const box& target() const { return target_; }
  /// Elements of this rank that leave it.
  std::size_t sent() const { return sent_; }
  /// Whether what was received is the row-major array of target().
  bool arrives_in_order() const { return arrives_in_order_; }
  int group_size() const { return group_.size(); }

  /// Copies elements of source() to where they are sent from: those with first <= index < first +
  /// count along `axis`, which `part` holds.
  void pack(strided<const E> part, std::size_t axis, std::size_t first, E* send) const;
  /// Collective over the group.
  void run(const E* send, E* receive) const;
  /// Copies what was received to the array of target().
  void unpack(const E* received, strided<E> out) const;

 private:
  // Elements that go to or come from a rank of the group, relative to this rank's box.
  struct part {
    box region;
    std::size_t place;
  };
  std::vector<part> parts_of(const box& own, const distribution& others,
                             std::vector<std::size_t>& counts) const;

  box source_, target_;
  communicator group_;
  std::vector<int> members_;
  std::vector<part> sends_, receives_;
  row_counts send_rows_, receive_rows_;
  std::size_t sent_ = 0;
  bool arrives_in_order_ = true;
};

}  // namespace papilio::mpi
