#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "mpi/communicator.hpp"
#include "mpi/node_memory.hpp"
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

/// Copies elements, [extents] of any strides; past the caches where whole cache lines can go there.
/// Then end_copies() is to be called before other threads or ranks read them.
template <class E>
void copy_box(const E* in, std::span<const std::ptrdiff_t> in_strides, E* out,
              std::span<const std::ptrdiff_t> out_strides, std::span<const std::size_t> extents,
              bool past_caches = false);
void end_copies();
/// Whether a box has left the caches when it is read again.
template <class E>
bool is_streamed(const box& part) {
  return part.size() >= (std::size_t{8} << 20) / sizeof(E);
}

/// Memory of a box: row-major, in blocks of `count` indices along an axis, one after the other, so that
/// what a step takes at once is contiguous.
struct blocks {
  std::size_t axis = 0, count = 1;
};

/// Takes an array from one distribution to another, copied by pack to where it is sent from, or to
/// where other ranks find it.
///
/// By messages, what a rank sends lies rank by rank, each part row-major, and so does what it
/// receives. By windows, the parts go to their places in the boxes of the other ranks.
template <class E>
class exchange {
 public:
  /// By messages; collective over `all`.
  exchange(const communicator& all, const distribution& from, const distribution& to);
  /// By windows, in which a rank's box of `to` has the blocks that `blocks_of` says.
  exchange(int rank, const distribution& from, const distribution& to,
           const std::function<blocks(const box&)>& blocks_of);

  const box& source() const { return source_; }
  const box& target() const { return target_; }
  /// Elements of this rank that leave it.
  std::size_t sent() const { return sent_; }
  /// Whether what was received is the row-major array of target().
  bool arrives_in_order() const { return arrives_in_order_; }

  /// Copies elements of source(), those with first <= index < first + count along `axis`, which
  /// `part` holds: to the memory that is sent from, or to that of the ranks.
  void pack(strided<const E> part, std::size_t axis, std::size_t first,
            const node_memory& to) const;
  /// Sends and receives. Collective over the group.
  void run(const E* send, E* receive) const;
  /// Copies what was received to the array of target().
  void unpack(const E* received, strided<E> out) const;

 private:
  // Elements that go to or come from a rank, relative to this rank's box; the box that they become a
  // part of, where in it, and its blocks.
  struct part {
    int rank;
    box region;
    std::size_t place;  // in a message
    std::vector<std::size_t> at, whole;
    blocks cut;
  };
  std::vector<part> parts_of(const box& own, const distribution& others, std::span<const int> ranks,
                             std::vector<std::size_t>& counts) const;

  box source_, target_;
  bool streams_;
  std::optional<communicator> group_;  // for messages
  std::vector<part> sends_, receives_;
  row_counts send_rows_, receive_rows_;
  std::size_t sent_ = 0;
  bool arrives_in_order_ = true;
};

}  // namespace papilio::mpi
