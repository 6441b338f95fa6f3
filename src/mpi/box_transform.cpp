// A step goes through a box block by block along an axis that it does not transform, in a block of
// memory that stays in the cache, from where what is transformed is copied to the messages, to the
// windows of the ranks, or to the caller's array. The first step reads the caller's array, the
// others read where the last exchange left the array: row-major by messages, and by windows in their
// blocks.
#include "mpi/box_transform.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>

#include "base/share.hpp"
#include "fft/blocks.hpp"
#include "papilio/base/error.hpp"

namespace papilio::mpi {
namespace {

using fft_detail::product;

// A block, out of place, stays in the second cache.
constexpr std::size_t block_bytes = std::size_t{512} * 1024;
// Neighbours that are transformed together, where the last axis is cut into blocks.
constexpr std::size_t least_columns = 16;

template <class E>
bool has_neighbours(const strided<E>& x) {
  return x.strides.back() == 1;
}

// Extents and strides of a row-major array, which its views refer to.
struct layout {
  std::vector<std::size_t> extents;
  std::vector<std::ptrdiff_t> strides;

  explicit layout(std::vector<std::size_t> e) : extents(std::move(e)), strides(extents.size()) {
    base_detail::set_row_major(extents, strides);
  }
  template <class E>
  strided<E> of(E* data) const {
    return {data, extents, strides};
  }
};

template <class E>
strided<E> block_of(const strided<E>& whole, std::size_t axis, std::size_t first,
                    std::span<const std::size_t> extents) {
  return {whole.data + static_cast<std::ptrdiff_t>(first) * whole.strides[axis], extents,
          whole.strides};
}

template <class E>
void copy_view(const strided<const E>& in, const strided<E>& out, bool past_caches = false) {
  copy_box(in.data, in.strides, out.data, out.strides, out.extents, past_caches);
  if (past_caches) end_copies();
}

}  // namespace

std::size_t buffer_elements(const fft_design& design, int rank) {
  std::size_t most = 0;
  const distribution* cut = &design.input;
  for (const fft_design::step& s : design.steps) {
    if (s.next != *cut)
      most = std::max({most, cut->box_of(rank).size(), s.next.box_of(rank).size()});
    cut = &s.next;
  }
  return most;
}

template <class T>
box_transform<T>::box_transform(const communicator& all, const fft_design& design, direction dir,
                                fft_options options, real_lines real, bool by_windows,
                                twiddles between)
    : real_(std::move(real)), between_(std::move(between)), by_windows_(by_windows) {
  const std::size_t last = design.input.extents().size() - 1;
  const distribution* cut = &design.input;
  all.agree([&] {
    for (const fft_design::step& planned : design.steps) {
      step& s = steps_.emplace_back();
      s.here = cut->box_of(all.rank());
      for (const std::size_t axis : planned.axes) {
        const bool is_real = real_ != nullptr && axis == last;
        s.real_first = s.real_first || (is_real && dir == direction::forward);
        s.real_last = s.real_last || (is_real && dir == direction::inverse);
        if (!is_real) s.lines.emplace_back(design.input.extents(), axis, dir, options);
      }
      s.cut = blocks_of(s, s.here);
      for (const auto& lines : s.lines)
        memory_reals_ = std::max(memory_reals_, lines.memory_reals());
      cut = &planned.next;
    }
    if (real_ != nullptr) memory_reals_ = std::max(memory_reals_, real_->memory_reals());
    require_threads(1);
  });
  cut = &design.input;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const distribution& next = design.steps[i].next;
    // The last result is an array, of one block.
    const auto blocks_there = [&](const box& there) {
      return i + 1 < steps_.size() ? blocks_of(steps_[i + 1], there) : blocks{0, there.extents[0]};
    };
    if (next != *cut)
      steps_[i].after = by_windows ? std::make_unique<const exchange<complex>>(all.rank(), *cut,
                                                                               next, blocks_there)
                                   : std::make_unique<const exchange<complex>>(all, *cut, next);
    cut = &next;
  }
}

template <class T>
blocks box_transform<T>::blocks_of(const step& s, const box& here) const {
  const std::vector<std::size_t>& extents = here.extents;
  const std::size_t last = extents.size() - 1;
  const auto is_transformed = [&](std::size_t axis) {
    return (axis == last && (s.real_first || s.real_last)) ||
           std::ranges::any_of(s.lines, [&](const auto& l) { return l.axis() == axis; });
  };
  std::size_t axis = 0;
  while (axis < last && (is_transformed(axis) || extents[axis] == 1)) ++axis;
  if (here.empty() || is_transformed(axis)) return {axis, extents[axis]};  // one block
  const std::size_t slice = product(extents) / extents[axis];
  const std::size_t least = std::min(axis == last ? least_columns : std::size_t{1}, extents[axis]);
  const std::size_t count = std::max(least, block_bytes / (slice * sizeof(complex)));
  // Rows of a block are whole cache lines where it need not be more than twice as large for it.
  const std::size_t row = product(std::span(extents).subspan(axis + 1)) * sizeof(complex);
  const std::size_t multiple = array_alignment_bytes / std::gcd(array_alignment_bytes, row);
  const std::size_t rounded = (count + multiple - 1) / multiple * multiple;
  return {axis, std::min(extents[axis], rounded <= 2 * count ? rounded : count)};
}

template <class T>
std::size_t box_transform<T>::sent() const {
  std::size_t all = 0;
  for (const step& s : steps_)
    if (s.after != nullptr) all += s.after->sent();
  return all;
}

template <class T>
void box_transform<T>::require_threads(int threads) {
  const std::size_t workers = base_detail::team_of(threads).workers;
  std::size_t elements = 0;
  for (const step& s : steps_)
    if (!s.here.empty())
      elements =
          std::max(elements, product(s.here.extents) / s.here.extents[s.cut.axis] * s.cut.count);
  while (workers_.size() < workers)
    workers_.push_back(
        {array<complex, 1>(elements, uninitialized), array<T, 1>(memory_reals_, uninitialized)});
}

template <class T>
template <class In, class Out>
void box_transform<T>::run(const communicator& all, strided<const In> in, strided<Out> out,
                           const node_memory* shared_out, const box_buffers& buffers, int threads) {
  const node_memory *free = &buffers.first, *other = &buffers.second, *held = nullptr;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const step& s = steps_[i];
    const bool is_last = i + 1 == steps_.size();
    const node_memory& to = is_last && shared_out != nullptr ? *shared_out : *free;
    const layout here(s.here.extents);
    const strided<Out> result = s.after == nullptr ? out : strided<Out>{};
    if (s.here.empty()) {
      // Nothing to transform; the exchange is joined all the same.
    } else if (held == nullptr) {
      run_step(s, in, false, result, to, threads);
    } else {
      run_step(s, here.of(held->as<const complex>()), by_windows_, result, to, threads);
    }
    if (s.after == nullptr) continue;
    const layout there(s.after->target().extents);
    if (by_windows_) {
      to.synchronize(all);
      if constexpr (std::is_same_v<Out, complex>)
        if (is_last && shared_out == nullptr && !s.after->target().empty())
          copy_view<complex>(there.of(to.as<const complex>()), out,
                             is_streamed<complex>(s.after->target()));
      held = std::exchange(free, std::exchange(other, free));
      continue;
    }
    const node_memory* const receive = held == nullptr ? other : held;
    s.after->run(free->as<complex>(), receive->as<complex>());
    if constexpr (std::is_same_v<Out, complex>) {
      if (is_last) {
        s.after->unpack(receive->as<complex>(), out);
        continue;
      }
    }
    if (s.after->arrives_in_order()) {
      held = receive;
    } else {
      // The messages have been sent: their memory is free.
      if (!s.after->target().empty())
        s.after->unpack(receive->as<complex>(), there.of(free->as<complex>()));
      held = std::exchange(free, receive);
    }
  }
}

template <class T>
template <class In, class Out>
void box_transform<T>::run_step(const step& s, strided<const In> in, bool in_blocks,
                                strided<Out> out, const node_memory& to, int threads) {
  const std::size_t extent = s.here.extents[s.cut.axis], count = s.cut.count;
  const std::size_t all = (extent + count - 1) / count;
  base_detail::share(all, base_detail::team_of(threads).at_most(all),
                     [&](std::size_t first, std::size_t last, std::size_t w) {
                       for (std::size_t i = first; i < last; ++i)
                         run_block(s, i * count, std::min(count, extent - i * count), in, in_blocks,
                                   out, to, workers_[w]);
                     });
}

template <class T>
template <class In, class Out>
void box_transform<T>::run_block(const step& s, std::size_t first, std::size_t count,
                                 strided<const In> in, bool in_blocks, strided<Out> out,
                                 const node_memory& to, worker& w) const {
  constexpr bool from_complex = std::is_same_v<In, complex>,
                 to_complex = std::is_same_v<Out, complex>;
  const std::size_t axis = s.cut.axis;
  std::vector<std::size_t> extents = s.here.extents;
  const std::size_t slice = product(extents) / extents[axis];
  extents[axis] = count;
  const layout own(extents);
  // Extents of the caller's real array differ along the last axis.
  const auto part_of = [&]<class E>(const strided<E>& whole, bool is_complex, auto& part_extents) {
    part_extents.assign(whole.extents.begin(), whole.extents.end());
    if (is_complex || axis + 1 != extents.size()) part_extents[axis] = count;
    return block_of(whole, axis, first, part_extents);
  };
  std::vector<std::size_t> in_extents, out_extents;
  const strided<const In> from =
      in_blocks ? own.of(in.data + first * slice) : part_of(in, from_complex, in_extents);
  strided<Out> result{};
  strided<complex> block = own.of(w.block.data());
  if (out.data != nullptr) {
    result = part_of(out, to_complex, out_extents);
    if constexpr (to_complex)
      if (has_neighbours(out) &&
          (count == s.here.extents[axis] || (!s.lines.empty() && s.lines.back().copies_rows())))
        block = result;
  }
  const strided<const complex> made{block.data, block.extents, block.strides};
  strided<const complex> found = made;
  if constexpr (!from_complex) {
    real_->forward(from, block, w.memory.data());
  } else if (!s.lines.empty() && s.lines[0].needs_neighbours() && !has_neighbours(from)) {
    copy_view<complex>(from, block);
  } else {
    found = from;
  }
  for (const auto& lines : s.lines) {
    lines.run(found, block, w.memory.data());
    found = made;
    if (between_ != nullptr && between_->after() == lines.axis())
      between_->multiply(block, s.here.first[0] + (axis == 0 ? first : 0),
                         s.here.first[1] + (axis == 1 ? first : 0));
  }
  if (out.data == nullptr) {
    s.after->pack(found, axis, first, to);
  } else if constexpr (!to_complex) {
    real_->inverse(found, result, w.memory.data());
  } else if (found.data != result.data) {
    copy_view<complex>(found, result, is_streamed<complex>(s.here));
  }
}

#define PAPILIO_BOX_TRANSFORM(T)                                                           \
  template class box_transform<T>;                                                         \
  template void box_transform<T>::run(const communicator&, strided<const std::complex<T>>, \
                                      strided<std::complex<T>>, const node_memory*,        \
                                      const box_buffers&, int);                            \
  template void box_transform<T>::run(const communicator&, strided<const T>,               \
                                      strided<std::complex<T>>, const node_memory*,        \
                                      const box_buffers&, int);                            \
  template void box_transform<T>::run(const communicator&, strided<const std::complex<T>>, \
                                      strided<T>, const node_memory*, const box_buffers&, int);
PAPILIO_BOX_TRANSFORM(float)
PAPILIO_BOX_TRANSFORM(double)

}  // namespace papilio::mpi
