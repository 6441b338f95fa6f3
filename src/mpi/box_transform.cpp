// A step goes through a box chunk by chunk along an axis that it does not transform: what is
// transformed is copied to the messages while it is in the cache. The first step reads the caller's
// array and works in a chunk of memory; the others work where the last exchange left the array; the
// last one writes the caller's array, or its exchange does.
#include "mpi/box_transform.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/share.hpp"
#include "fft/blocks.hpp"
#include "papilio/base/error.hpp"

namespace papilio::mpi {
namespace {

using fft_detail::product;

// A chunk, out of place, stays in the second cache.
constexpr std::size_t chunk_bytes = std::size_t{512} * 1024;
// Neighbours that are transformed together, where the last axis is cut into chunks.
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
strided<E> chunk_of(const strided<E>& whole, std::size_t axis, std::size_t first,
                    std::span<const std::size_t> extents) {
  return {whole.data + static_cast<std::ptrdiff_t>(first) * whole.strides[axis], extents,
          whole.strides};
}

template <class E>
void copy_view(const strided<const E>& in, const strided<E>& out) {
  copy_box(in.data, in.strides, out.data, out.strides, out.extents);
}

}  // namespace

template <class T>
box_transform<T>::box_transform(const communicator& all, const fft_design& design, direction dir,
                                fft_options options, real_lines real, twiddles between)
    : real_(std::move(real)), between_(std::move(between)) {
  const std::size_t last = design.input.extents().size() - 1;
  const distribution* cut = &design.input;
  for (const fft_design::step& planned : design.steps) {
    step& s = steps_.emplace_back();
    s.here = cut->box_of(all.rank());
    all.agree([&] {
      for (const std::size_t axis : planned.axes) {
        const bool is_real = real_ != nullptr && axis == last;
        s.real_first = s.real_first || (is_real && dir == direction::forward);
        s.real_last = s.real_last || (is_real && dir == direction::inverse);
        if (!is_real) s.lines.emplace_back(design.input.extents(), axis, dir, options);
      }
      choose_chunk(s);
      for (const auto& lines : s.lines)
        memory_reals_ = std::max(memory_reals_, lines.memory_reals());
    });
    if (planned.next != *cut)
      s.after = std::make_unique<const exchange<complex>>(all, *cut, planned.next);
    cut = &planned.next;
    buffer_elements_ = std::max({buffer_elements_, s.here.size(), cut->box_of(all.rank()).size()});
  }
  if (steps_.size() == 1 && steps_[0].after == nullptr) buffer_elements_ = 0;
  if (real_ != nullptr) memory_reals_ = std::max(memory_reals_, real_->memory_reals());
  all.agree([&] { require_threads(1); });
}

template <class T>
void box_transform<T>::choose_chunk(step& s) const {
  const std::vector<std::size_t>& extents = s.here.extents;
  const std::size_t last = extents.size() - 1;
  const auto is_transformed = [&](std::size_t axis) {
    return (axis == last && (s.real_first || s.real_last)) ||
           std::ranges::any_of(s.lines, [&](const auto& l) { return l.axis() == axis; });
  };
  std::size_t axis = 0;
  while (axis < last && (is_transformed(axis) || extents[axis] == 1)) ++axis;
  s.chunk_axis = axis;
  s.chunk = extents[axis];
  if (s.here.empty()) return;
  const std::size_t slice = product(extents) / extents[axis];
  if (is_transformed(axis)) return;  // all are: one chunk
  const std::size_t least = std::min(axis == last ? least_columns : std::size_t{1}, extents[axis]);
  s.chunk = std::clamp<std::size_t>(chunk_bytes / (slice * sizeof(complex)), least, extents[axis]);
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
          std::max(elements, product(s.here.extents) / s.here.extents[s.chunk_axis] * s.chunk);
  while (workers_.size() < workers)
    workers_.push_back(
        {array<complex, 1>(elements, uninitialized), array<T, 1>(memory_reals_, uninitialized)});
}

template <class T>
template <class In, class Out>
void box_transform<T>::run(strided<const In> in, strided<Out> out, box_buffers<T>& buffers,
                           int threads) {
  complex *free = buffers.first.data(), *held = nullptr;  // held: where the array is
  complex* other = buffers.second.data();
  const strided<complex> none{};
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const step& s = steps_[i];
    const bool is_last = i + 1 == steps_.size();
    const layout here(s.here.extents);
    if (s.here.empty()) {
      // Nothing to transform; the exchange is joined all the same.
    } else if (held == nullptr) {
      if (s.after != nullptr)
        run_step(s, in, none, strided<complex>{}, free, threads);
      else
        run_step(s, in, none, out, static_cast<complex*>(nullptr), threads);
    } else {
      const strided<complex> work = here.of(held);
      const strided<const complex> found = here.of(static_cast<const complex*>(held));
      if (s.after != nullptr)
        run_step(s, found, work, strided<complex>{}, free, threads);
      else
        run_step(s, found, work, out, static_cast<complex*>(nullptr), threads);
    }
    if (s.after == nullptr) continue;
    complex* const receive = held == nullptr ? other : held;
    s.after->run(free, receive);
    if constexpr (std::is_same_v<Out, complex>) {
      if (is_last) {
        s.after->unpack(receive, out);
        continue;
      }
    }
    if (s.after->arrives_in_order()) {
      held = receive;
    } else {
      // The messages have been sent: their memory is free.
      if (!s.after->target().empty())
        s.after->unpack(receive, layout(s.after->target().extents).of(free));
      held = std::exchange(free, receive);
    }
  }
}

template <class T>
template <class In, class Out>
void box_transform<T>::run_step(const step& s, strided<const In> in, strided<complex> work,
                                strided<Out> out, complex* send, int threads) {
  const std::size_t extent = s.here.extents[s.chunk_axis];
  const std::size_t chunks = (extent + s.chunk - 1) / s.chunk;
  base_detail::share(chunks, base_detail::team_of(threads).at_most(chunks),
                     [&](std::size_t first, std::size_t last, std::size_t w) {
                       for (std::size_t i = first; i < last; ++i)
                         run_chunk(s, i * s.chunk, std::min(s.chunk, extent - i * s.chunk), in,
                                   work, out, send, workers_[w]);
                     });
}

template <class T>
template <class In, class Out>
void box_transform<T>::run_chunk(const step& s, std::size_t first, std::size_t count,
                                 strided<const In> in, strided<complex> work, strided<Out> out,
                                 complex* send, worker& w) const {
  constexpr bool from_complex = std::is_same_v<In, complex>,
                 to_complex = std::is_same_v<Out, complex>;
  const std::size_t axis = s.chunk_axis;
  std::vector<std::size_t> extents = s.here.extents;
  extents[axis] = count;
  const layout own(extents);
  // Extents of the caller's real array differ along the last axis.
  std::vector<std::size_t> in_extents(in.extents.begin(), in.extents.end());
  in_extents[axis] = from_complex || axis + 1 != extents.size() ? count : in_extents[axis];
  const strided<const In> from = chunk_of(in, axis, first, in_extents);

  strided<complex> chunk = own.of(w.chunk.data());
  if (work.data != nullptr) chunk = chunk_of(work, axis, first, extents);
  bool in_out = false;
  std::vector<std::size_t> out_extents(out.extents.begin(), out.extents.end());
  strided<Out> to{};
  if (out.data != nullptr) {
    out_extents[axis] = to_complex || axis + 1 != extents.size() ? count : out_extents[axis];
    to = chunk_of(out, axis, first, out_extents);
    if constexpr (to_complex)
      if (has_neighbours(out)) {
        chunk = to;
        in_out = true;
      }
  }
  strided<const complex> found{chunk.data, chunk.extents, chunk.strides};
  std::size_t done = 0;
  const auto run_lines = [&](std::size_t i, const strided<const complex>& x) {
    s.lines[i].run(x, chunk, w.memory.data());
    if (between_ != nullptr && between_->after() == s.lines[i].axis())
      between_->multiply(chunk, s.here.first[0] + (axis == 0 ? first : 0),
                         s.here.first[1] + (axis == 1 ? first : 0));
  };
  if constexpr (from_complex) {
    // Untouched where nothing has to be transformed; read from the caller's array by the first lines.
    if (from.data != chunk.data || work.data == nullptr) {
      const bool copies =
          !s.lines.empty() && s.lines[0].needs_neighbours() && !has_neighbours(from);
      if (copies) {
        copy_view<complex>(from, chunk);
      } else {
        found = from;
        if (!s.lines.empty()) {
          run_lines(0, from);
          done = 1;
          found = {chunk.data, chunk.extents, chunk.strides};
        }
      }
    }
  } else {
    real_->forward(from, chunk, w.memory.data());
  }
  for (std::size_t i = done; i < s.lines.size(); ++i) {
    run_lines(i, found);
    found = {chunk.data, chunk.extents, chunk.strides};
  }
  if (out.data == nullptr) {
    s.after->pack(found, axis, first, send);
  } else if constexpr (!to_complex) {
    real_->inverse(found, to, w.memory.data());
  } else if (!in_out || found.data != to.data) {
    copy_view<complex>(found, to);
  }
}

template class box_transform<float>;
template class box_transform<double>;
template void box_transform<float>::run(strided<const std::complex<float>>,
                                        strided<std::complex<float>>, box_buffers<float>&, int);
template void box_transform<double>::run(strided<const std::complex<double>>,
                                         strided<std::complex<double>>, box_buffers<double>&, int);
template void box_transform<float>::run(strided<const float>, strided<std::complex<float>>,
                                        box_buffers<float>&, int);
template void box_transform<double>::run(strided<const double>, strided<std::complex<double>>,
                                         box_buffers<double>&, int);
template void box_transform<float>::run(strided<const std::complex<float>>, strided<float>,
                                        box_buffers<float>&, int);
template void box_transform<double>::run(strided<const std::complex<double>>, strided<double>,
                                         box_buffers<double>&, int);

}  // namespace papilio::mpi
