#include "mpi/exchange.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>

#include "fft/blocks.hpp"
#include "fft/pointwise.hpp"
#include "papilio/base/error.hpp"

namespace papilio::mpi {
namespace {

// Shorter runs of whole cache lines are not worth a call that writes past the caches.
constexpr std::size_t least_streamed_run = 256;

// Ranks that exchange elements, directly or by others, have the same number: the least of them.
std::vector<int> groups_of(const distribution& from, const distribution& to) {
  std::vector<int> group(static_cast<std::size_t>(from.ranks()));
  std::iota(group.begin(), group.end(), 0);
  const auto root = [&](int rank) {
    while (group[static_cast<std::size_t>(rank)] != rank) {
      int& above = group[static_cast<std::size_t>(rank)];
      above = group[static_cast<std::size_t>(above)];
      rank = above;
    }
    return rank;
  };
  for (int rank = 0; rank < from.ranks(); ++rank) {
    const box own = from.box_of(rank);
    if (own.empty()) continue;
    for (const int other : to.owners_of(own)) {
      const int a = root(rank), b = root(other);
      group[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  }
  for (int rank = 0; rank < from.ranks(); ++rank)
    group[static_cast<std::size_t>(rank)] = root(rank);
  return group;
}

std::vector<std::ptrdiff_t> row_major(std::span<const std::size_t> extents) {
  std::vector<std::ptrdiff_t> strides(extents.size());
  base_detail::set_row_major(extents, strides);
  return strides;
}

std::ptrdiff_t offset_of(std::span<const std::size_t> index,
                         std::span<const std::ptrdiff_t> strides) {
  std::ptrdiff_t offset = 0;
  for (std::size_t axis = 0; axis < index.size(); ++axis)
    offset += static_cast<std::ptrdiff_t>(index[axis]) * strides[axis];
  return offset;
}

// A row of `elements` elements as MPI's type.
class row_type {
 public:
  row_type(std::size_t elements, std::size_t element_bytes) {
    check(MPI_Type_contiguous(static_cast<int>(element_bytes), MPI_BYTE, &element_),
          "MPI_Type_contiguous");
    check(MPI_Type_contiguous(static_cast<int>(elements), element_, &row_), "MPI_Type_contiguous");
    check(MPI_Type_commit(&row_), "MPI_Type_commit");
  }
  ~row_type() {
    MPI_Type_free(&row_);
    MPI_Type_free(&element_);
  }
  row_type(const row_type&) = delete;
  row_type& operator=(const row_type&) = delete;
  MPI_Datatype get() const { return row_; }

 private:
  MPI_Datatype element_ = MPI_DATATYPE_NULL, row_ = MPI_DATATYPE_NULL;
};

}  // namespace

row_counts in_rows(std::span<const std::size_t> counts) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
  row_counts rows{0, {}, {}};
  for (const std::size_t count : counts) rows.row = std::gcd(rows.row, count);
  if (rows.row == 0) rows.row = 1;
  // A row's own length is a number of 32 bits, too.
  while (rows.row > most) {
    std::size_t divisor = 2;
    while (rows.row % divisor != 0) ++divisor;
    rows.row /= divisor;
  }
  std::size_t place = 0;
  for (const std::size_t count : counts) {
    if (count / rows.row > most || place > most)
      throw resource_error(
          base_detail::message("redistribution: at most ", most, " rows go to or from a rank, got ",
                               std::max(count / rows.row, place), " of ", rows.row, " elements"));
    rows.counts.push_back(static_cast<int>(count / rows.row));
    rows.places.push_back(static_cast<int>(place));
    place += count / rows.row;
  }
  return rows;
}

template <class E>
void copy_box(const E* in, std::span<const std::ptrdiff_t> in_strides, E* out,
              std::span<const std::ptrdiff_t> out_strides, std::span<const std::size_t> extents,
              bool past_caches) {
  // Trailing axes that continue each other on both sides are one run.
  std::size_t rank = extents.size(), run = 1;
  while (rank > 0 &&
         (extents[rank - 1] == 1 || (in_strides[rank - 1] == static_cast<std::ptrdiff_t>(run) &&
                                     out_strides[rank - 1] == static_cast<std::ptrdiff_t>(run)))) {
    run *= extents[rank - 1];
    --rank;
  }
  using real = fft_detail::real_component<E>;
  const std::size_t bytes = run * sizeof(E);
  const auto stream = fft_detail::find_pointwise_kernels<real>().stream_copy;
  past_caches = past_caches && bytes >= least_streamed_run && bytes % array_alignment_bytes == 0;
  const auto copy = [&](const auto& self, const E* from, E* to, std::size_t axis) -> void {
    if (axis == rank) {
      if (past_caches && reinterpret_cast<std::uintptr_t>(to) % array_alignment_bytes == 0) {
        stream(bytes / sizeof(real), reinterpret_cast<const real*>(from),
               reinterpret_cast<real*>(to));
      } else {
        std::memcpy(static_cast<void*>(to), from, bytes);
      }
      return;
    }
    for (std::size_t i = 0; i < extents[axis]; ++i) {
      if (run == 1 && axis + 1 == rank)
        *to = *from;
      else
        self(self, from, to, axis + 1);
      from += in_strides[axis];
      to += out_strides[axis];
    }
  };
  if (std::ranges::find(extents, std::size_t{0}) == extents.end()) copy(copy, in, out, 0);
}

void end_copies() { fft_detail::find_pointwise_kernels<float>().end_streams(); }

template <class E>
exchange<E>::exchange(const communicator& all, const distribution& from, const distribution& to)
    : source_(from.box_of(all.rank())),
      target_(to.box_of(all.rank())),
      streams_(is_streamed<E>(source_)),
      group_(all.split(groups_of(from, to)[static_cast<std::size_t>(all.rank())])) {
  std::vector<int> members(static_cast<std::size_t>(group_->size()));
  const int mine = all.rank();
  check(MPI_Allgather(&mine, 1, MPI_INT, members.data(), 1, MPI_INT, group_->get()),
        "MPI_Allgather");
  all.agree([&] {
    std::vector<std::size_t> counts;
    sends_ = parts_of(source_, to, members, counts);
    send_rows_ = in_rows(counts);
    sent_ = source_.size() - intersection(source_, target_).size();
    receives_ = parts_of(target_, from, members, counts);
    receive_rows_ = in_rows(counts);
  });
  const std::vector<std::ptrdiff_t> strides = row_major(target_.extents);
  for (const part& p : receives_) {
    const std::size_t axis = static_cast<std::size_t>(
        std::ranges::mismatch(p.region.extents, target_.extents).in1 - p.region.extents.begin());
    // Whole but along the first axis, or the first axes of one element.
    bool is_run = true;
    for (std::size_t a = 0; a < axis && axis < p.region.extents.size(); ++a)
      is_run = is_run && target_.extents[a] == 1;
    for (std::size_t a = axis + 1; a < p.region.extents.size(); ++a)
      is_run = is_run && p.region.extents[a] == target_.extents[a];
    arrives_in_order_ = arrives_in_order_ && is_run &&
                        offset_of(p.region.first, strides) == static_cast<std::ptrdiff_t>(p.place);
  }
}

template <class E>
exchange<E>::exchange(int rank, const distribution& from, const distribution& to,
                      const std::function<blocks(const box&)>& blocks_of)
    : source_(from.box_of(rank)), target_(to.box_of(rank)), streams_(is_streamed<E>(source_)) {
  sent_ = source_.size() - intersection(source_, target_).size();
  std::vector<int> ranks(static_cast<std::size_t>(to.ranks()));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<std::size_t> counts;
  sends_ = parts_of(source_, to, ranks, counts);
  for (part& p : sends_) {
    const box other = to.box_of(p.rank);
    for (std::size_t axis = 0; axis < other.first.size(); ++axis)
      p.at[axis] = source_.first[axis] + p.region.first[axis] - other.first[axis];
    p.whole = other.extents;
    p.cut = blocks_of(other);
    p.place = 0;
  }
}

template <class E>
std::vector<typename exchange<E>::part> exchange<E>::parts_of(
    const box& own, const distribution& others, std::span<const int> ranks,
    std::vector<std::size_t>& counts) const {
  std::vector<part> parts;
  counts.assign(ranks.size(), 0);
  std::size_t place = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    box shared = intersection(own, others.box_of(ranks[i]));
    counts[i] = shared.size();
    if (shared.empty()) continue;
    for (std::size_t axis = 0; axis < own.first.size(); ++axis)
      shared.first[axis] -= own.first[axis];
    part p{ranks[i], std::move(shared), place, std::vector<std::size_t>(own.first.size()), {}, {}};
    p.whole = p.region.extents;
    p.cut.count = p.whole[0];
    parts.push_back(std::move(p));
    place += counts[i];
  }
  return parts;
}

template <class E>
void exchange<E>::pack(strided<const E> part_of_source, std::size_t axis, std::size_t first,
                       const node_memory& to) const {
  const std::size_t end = first + part_of_source.extents[axis];
  for (const part& p : sends_) {
    const std::size_t low = std::max(first, p.region.first[axis]);
    const std::size_t high = std::min(end, p.region.first[axis] + p.region.extents[axis]);
    if (low >= high) continue;
    std::vector<std::size_t> index = p.region.first, extents = p.region.extents, at = p.at;
    index[axis] = low - first;
    extents[axis] = high - low;
    at[axis] += low - p.region.first[axis];
    const E* from = part_of_source.data + offset_of(index, part_of_source.strides);
    E* const base = (to.is_shared() ? to.of<E>(p.rank) : to.as<E>()) + p.place;
    // Block by block of the target.
    const std::size_t cut = p.cut.axis, last = at[cut] + extents[cut];
    std::vector<std::size_t> block = p.whole;
    std::vector<std::ptrdiff_t> strides(block.size());
    for (std::size_t next = at[cut]; next < last; next += extents[cut]) {
      const std::size_t begin = next / p.cut.count * p.cut.count;
      block[cut] = std::min(p.cut.count, p.whole[cut] - begin);
      base_detail::set_row_major(block, strides);
      extents[cut] = std::min(begin + block[cut], last) - next;
      at[cut] = next - begin;
      copy_box(
          from, part_of_source.strides,
          base + begin * (fft_detail::product(p.whole) / p.whole[cut]) + offset_of(at, strides),
          strides, extents);
      from += static_cast<std::ptrdiff_t>(extents[cut]) * part_of_source.strides[cut];
    }
  }
  if (streams_) end_copies();
}

template <class E>
void exchange<E>::run(const E* send, E* receive) const {
  const row_type send_row(send_rows_.row, sizeof(E)), receive_row(receive_rows_.row, sizeof(E));
  check(MPI_Alltoallv(send, send_rows_.counts.data(), send_rows_.places.data(), send_row.get(),
                      receive, receive_rows_.counts.data(), receive_rows_.places.data(),
                      receive_row.get(), group_->get()),
        "MPI_Alltoallv");
}

template <class E>
void exchange<E>::unpack(const E* received, strided<E> out) const {
  for (const part& p : receives_)
    copy_box(received + p.place, row_major(p.region.extents),
             out.data + offset_of(p.region.first, out.strides), out.strides, p.region.extents,
             streams_);
  if (streams_) end_copies();
}

#define PAPILIO_EXCHANGE(E)                                                                    \
  template void copy_box(const E*, std::span<const std::ptrdiff_t>, E*,                        \
                         std::span<const std::ptrdiff_t>, std::span<const std::size_t>, bool); \
  template class exchange<E>;
PAPILIO_EXCHANGE(float)
PAPILIO_EXCHANGE(double)
PAPILIO_EXCHANGE(std::complex<float>)
PAPILIO_EXCHANGE(std::complex<double>)

}  // namespace papilio::mpi
