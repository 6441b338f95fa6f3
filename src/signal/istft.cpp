// Segments become a signal again by inverse transforms under the window, which are overlap-added
// and divided by the overlapped squares of the window. Threads share the output; each transforms
// every segment that its stretch needs, so that all additions to a sample are made in one order.
#include "papilio/signal/istft.hpp"
#include "papilio/signal/host_signals.hpp"

#include <algorithm>
#include <cassert>
#include <vector>

#include "base/ask_ahead.hpp"
#include "base/share.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/overlap.hpp"
#include "papilio/dispatch/placement.hpp"
#include "signal/overlap_adder.hpp"
#include "signal/placed_run.hpp"
#include "signal/synthesis.hpp"

namespace papilio {

using namespace signal_detail;

template <class T>
istft_plan<T>::istft_plan(stft_options options)
    : synthesis_(std::make_shared<const synthesis<T>>(resolved(options))) {}

template <class T>
istft_plan<T>::istft_plan(stft_options options, std::span<const double> window)
    : synthesis_(std::make_shared<const synthesis<T>>(resolved(options, window))) {}

template <class T>
const stft_options& istft_plan<T>::options() const {
  return synthesis_->analysis().options();
}
template <class T>
std::size_t istft_plan<T>::bins() const {
  return synthesis_->analysis().bins();
}
template <class T>
stft_plan<T> istft_plan<T>::adjoint() const {
  if (synthesis_->adjoint_of()) return stft_plan<T>(synthesis_->adjoint_of());
  return stft_plan<T>(std::make_shared<const segment_transform<T>>(synthesis_));
}
template <class T>
std::uint64_t istft_plan<T>::samples(std::uint64_t segments) const {
  return segments == 0 ? 0 : synthesis_->geometry().reach(segments) - synthesis_->geometry().lead();
}

namespace {

// Memory of one thread.
template <class T>
struct istft_workspace {
  array<T, 1> samples;
  array<std::complex<T>, 1> scratch;

  explicit istft_workspace(const synthesis<T>& s)
      : samples(s.geometry().n(), uninitialized), scratch(s.scratch_size(), uninitialized) {}
};

constexpr const char* istft_name = "istft_plan::execute";
constexpr const char* no_folding =
    "its adjoint of the STFT is that of padding with zeros for device arrays";

// Checks that the extents fit; for an adjoint, that the forward transform makes so many segments of
// the signal.
template <class T>
void require_samples(const synthesis<T>& s, std::uint64_t segments, std::uint64_t samples,
                     std::uint64_t first) {
  if (!s.adjoint_of()) return s.require_reached(istft_name, segments, samples, first);
  if (first != 0)
    throw invalid_argument(base_detail::message(
        istft_name, ": first must be 0, as an adjoint makes the whole signal; got ", first));
  if (const std::uint64_t made = s.geometry().segments(samples); made != segments)
    throw shape_error(base_detail::message(istft_name, ": of ", samples, " samples there are ",
                                           made, " segments, got ", segments));
}

template <class T>
void require_fit(const synthesis<T>& s, view<const std::complex<T>, 3> spectra, view<T, 2> out,
                 std::uint64_t first) {
  if (spectra.extent(0) != out.extent(0) || spectra.extent(2) != s.analysis().bins())
    throw shape_error(base_detail::message(istft_name, ": spectra must be ", out.extent(0),
                                           " x segments x ", s.analysis().bins(),
                                           " (signals, segments, bins), got ", spectra.extent(0),
                                           " x ", spectra.extent(1), " x ", spectra.extent(2)));
  base_detail::require_distinct(istft_name, out);
  if (base_detail::reach(spectra).overlaps(base_detail::reach(out)))
    throw invalid_argument(base_detail::message(istft_name, ": out overlaps spectra"));
  if (!out.empty()) require_samples(s, spectra.extent(1), out.extent(1), first);
}

// Finishes the sums at positions p and on in place; `line` is memory for n of them.
template <class T>
void finish_in_place(const synthesis<T>& s, view<T, 1> out, std::uint64_t p, std::uint64_t segments,
                     array<T, 1>& line) {
  if (out.stride(0) == 1 || s.adjoint_of())
    return s.finish(out.data(), out.data(), p, out.extent(0), segments);
  for (std::size_t at = 0; at < out.extent(0); at += line.size()) {
    const std::size_t count = std::min(line.size(), out.extent(0) - at);
    for (std::size_t i = 0; i < count; ++i) line[i] = out[at + i];
    s.finish(line.data(), line.data(), p + at, count, segments);
    for (std::size_t i = 0; i < count; ++i) out[at + i] = line[i];
  }
}

// Synthesises positions [p, end) of one signal, all of which some segment holds. Sums are made in
// out itself; those that no later segment adds to are finished while they are in the cache.
template <class T>
void synthesise(const synthesis<T>& s, view<const std::complex<T>, 2> spectra, view<T, 1> out,
                std::uint64_t p, std::uint64_t end, istft_workspace<T>& work) {
  const segment_geometry& geometry = s.geometry();
  const std::uint64_t n = geometry.n(), hop = geometry.hop(), segments = spectra.extent(0);
  const std::uint64_t low = p < n ? 0 : (p - n) / hop + 1;
  const std::uint64_t high = std::min(segments - 1, (end - 1) / hop);
  const auto index = [p](std::uint64_t position) { return static_cast<std::size_t>(position - p); };
  std::uint64_t reached = p, done = p;  // ends of the sums and of the results in out
  for (std::uint64_t segment = low; segment <= high; ++segment) {
    // The next segment is prefetched by thirds: a processor waits where too many lines are under
    // way.
    const view<const std::complex<T>, 1> next = spectra[std::min(segment + 1, high)];
    const std::size_t third = next.stride(0) == 1 ? (next.size() + 2) / 3 : 0;
    base_detail::ask_ahead(next.data(), third);
    s.execute(spectra[segment], work.samples.data(), work.scratch.data());
    base_detail::ask_ahead(next.data() + third, third);
    const std::uint64_t first = geometry.first(segment);
    const std::uint64_t from = std::max(first, p), to = std::min(first + n, end);
    if (from < to) {
      assert(from <= reached);
      const auto skipped = static_cast<std::size_t>(from - first);
      add_under_window(work.samples.data() + skipped, s.window().data() + skipped,
                       static_cast<std::size_t>(std::min(reached, to) - from),
                       static_cast<std::size_t>(to - from),
                       out.data() + static_cast<std::ptrdiff_t>(index(from)) * out.stride(0),
                       out.stride(0));
      reached = std::max(reached, to);
    }
    base_detail::ask_ahead(next.data() + 2 * third, third);
    const std::uint64_t whole = segment == high ? end : std::min(end, geometry.first(segment + 1));
    if (whole <= done) continue;
    finish_in_place(s, out.slice(0, index(done), static_cast<std::size_t>(whole - done)), done,
                    segments, work.samples);
    done = whole;
  }
}

// Synthesises positions that segments may leave out, which are 0: between segments if the hop is
// longer than a segment, and behind the last.
template <class T>
void synthesise_sparse(const synthesis<T>& s, view<const std::complex<T>, 2> spectra,
                       view<T, 1> out, std::uint64_t p, std::uint64_t end,
                       istft_workspace<T>& work) {
  const segment_geometry& geometry = s.geometry();
  const std::uint64_t n = geometry.n(), segments = spectra.extent(0);
  const std::uint64_t reach = segments == 0 ? 0 : geometry.reach(segments) + geometry.lead();
  std::uint64_t done = p;  // positions before it have their results
  const auto part = [&](std::uint64_t from, std::uint64_t to) {
    if (from >= to) return;
    for (; done < from; ++done) out[static_cast<std::size_t>(done - p)] = 0;
    const auto first = static_cast<std::size_t>(from - p),
               count = static_cast<std::size_t>(to - from);
    synthesise(s, spectra, out.slice(0, first, count), from, to, work);
    done = to;
  };
  if (geometry.hop() <= n) {
    part(p, std::min(end, reach));
  } else {
    for (std::uint64_t segment = p / geometry.hop(); segment < segments; ++segment) {
      const std::uint64_t first = geometry.first(segment);
      if (first >= end) break;
      part(std::max(p, first), std::min(end, first + n));
    }
  }
  for (; done < end; ++done) out[static_cast<std::size_t>(done - p)] = 0;
}

// Returns the sample of a signal from which a position of its padding was made.
std::size_t source_of(const segment_geometry& geometry, std::uint64_t position,
                      std::uint64_t size) {
  return static_cast<std::size_t>(geometry.source(
      static_cast<std::int64_t>(position) - static_cast<std::int64_t>(geometry.lead()), size));
}

// Padding repeats samples of the signal, so the adjoint adds the sums of the padding to the samples
// that they come from.
template <class T>
void fold_padding(const synthesis<T>& s, view<const std::complex<T>, 2> spectra, view<T, 1> out,
                  view<T, 1> padding, istft_workspace<T>& work) {
  const segment_geometry& geometry = s.geometry();
  const std::uint64_t size = out.extent(0), lead = geometry.lead();
  for (const std::uint64_t p : {std::uint64_t{0}, lead + size}) {
    synthesise_sparse(s, spectra, padding, p, p + lead, work);
    for (std::uint64_t i = 0; i < lead; ++i)
      out[source_of(geometry, p + i, size)] += padding[static_cast<std::size_t>(i)];
  }
}

template <class T>
void synthesise_all(const synthesis<T>& s, view<const std::complex<T>, 3> spectra, view<T, 2> out,
                    int threads, std::uint64_t first) {
  const std::size_t samples = out.extent(1), total = out.size();
  const std::uint64_t offset = first + s.geometry().lead();
  // A stretch of less than a few segments would mostly repeat what its neighbours do.
  const std::size_t stretch = 4 * s.geometry().n(), stretches = (total + stretch - 1) / stretch;
  const base_detail::team team = base_detail::team_of(threads).at_most(stretches);
  const bool is_folded = s.adjoint_of() && s.geometry().padding() != edge_padding::zero;
  std::vector<istft_workspace<T>> work;  // allocated before anything is written
  for (std::size_t worker = 0; worker < team.workers; ++worker) work.emplace_back(s);
  array<T, 1> padding(is_folded ? s.geometry().lead() : 0);
  base_detail::share(stretches, team, [&](std::size_t i, std::size_t end, std::size_t worker) {
    const std::size_t last = std::min(total, end * stretch);
    for (std::size_t at = i * stretch; at < last;) {
      const std::size_t signal = at / samples, begin = at % samples;
      const std::size_t count = std::min(samples - begin, last - at);
      const auto run = s.adjoint_of() ? synthesise_sparse<T> : synthesise<T>;
      run(s, spectra[signal], out[signal].slice(0, begin, count), offset + begin,
          offset + begin + count, work[worker]);
      at += count;
    }
  });
  if (is_folded && total > 0)
    for (std::size_t signal = 0; signal < out.extent(0); ++signal)
      fold_padding(s, spectra[signal], out[signal], padding.view(), work[0]);
}

template <class T>
view<const std::complex<T>, 3> only(view<const std::complex<T>, 2> spectra) {
  return {spectra.data(),
          {1, spectra.extent(0), spectra.extent(1)},
          {0, spectra.stride(0), spectra.stride(1)}};
}
template <class T>
view<T, 2> only(std::span<T> out) {
  return {out.data(), {1, out.size()}};
}

}  // namespace

template <class T>
void istft_plan<T>::execute(view<const std::complex<T>, 3> spectra, view<T, 2> out, int threads,
                            std::uint64_t first) const {
  require_fit(*synthesis_, spectra, out, first);
  synthesise_all(*synthesis_, spectra, out, threads, first);
  record_host_run(synthesis_);
}

template <class T>
void istft_plan<T>::execute(view<const std::complex<T>, 2> spectra, std::span<T> out, int threads,
                            std::uint64_t first) const {
  execute(only(spectra), only(out), threads, first);
}

template <class T>
void istft_plan<T>::execute(view<const std::complex<T>, 3> spectra, view<T, 2> out,
                            const execution& on, std::uint64_t first) const {
  if (is_plain_host(on)) {
    execute(spectra, out, on.threads, first);
    return;
  }
  require_fit(*synthesis_, spectra, out, first);
  // Extents of 0 count as 1, so that the policy is checked even where there is nothing to make.
  const auto some = [](std::size_t n) { return std::max<std::size_t>(1, n); };
  istft_problem what = problem_of(*synthesis_, some(out.extent(0)), some(spectra.extent(1)),
                                  some(out.extent(1)), first);
  // An accelerator makes the padding's sums too, which the host folds.
  const std::size_t lead = synthesis_->geometry().lead();
  const bool is_folded =
      synthesis_->adjoint_of() && synthesis_->geometry().padding() != edge_padding::zero;
  if (is_folded) {
    what.centre = false;
    what.samples = checked_add(what.samples, 2 * lead, istft_name);
  }
  accelerator* const device = place(istft_name, what, on, host_signals());
  if (out.empty()) return;
  if (device == nullptr) {
    execute(spectra, out, on.threads, first);
    return;
  }
  array<T, 2> positions(is_folded ? extents_type<2>{what.channels, what.samples}
                                  : extents_type<2>{});
  const view<T, 2> made = is_folded ? positions.view() : out;
  run_on(istft_name, *device, what, on.precision, {spectra}, {made});
  if (!is_folded) return;
  const std::size_t size = out.extent(1);
  for (std::size_t c = 0; c < out.extent(0); ++c) {
    for (std::size_t i = 0; i < size; ++i) out(c, i) = positions(c, lead + i);
    const auto fold = [&](std::size_t p) {
      out(c, source_of(synthesis_->geometry(), p, size)) += positions(c, p);
    };
    for (std::size_t i = 0; i < lead; ++i) fold(i);
    for (std::size_t i = 0; i < lead; ++i) fold(lead + size + i);
  }
}

template <class T>
void istft_plan<T>::execute(view<const std::complex<T>, 2> spectra, std::span<T> out,
                            const execution& on, std::uint64_t first) const {
  execute(only(spectra), only(out), on, first);
}

template <class T>
shared_tensor istft_plan<T>::signals_on_device(const shared_tensor& spectra, std::uint64_t samples,
                                               const execution& on, std::uint64_t first) const {
  std::vector<std::size_t> extents = spectra->shape().extents;
  const std::size_t segments = extents[extents.size() - 2];
  if (extents.back() != bins())
    throw shape_error(base_detail::message(istft_name, ": spectra must have ", bins(),
                                           " bins along the last axis, got ", extents.back()));
  if (samples == 0) throw shape_error("istft_plan::execute: samples must be at least 1, got 0");
  require_samples(*synthesis_, segments, samples, first);
  if (synthesis_->adjoint_of() && synthesis_->geometry().padding() != edge_padding::zero)
    throw device_error(base_detail::message(istft_name, ": the accelerator cannot: ", no_folding));
  const auto size = checked_cast<std::size_t>(samples, istft_name);
  const istft_problem what =
      problem_of(*synthesis_, extents.size() == 2 ? 1 : extents[0], segments, size, first);
  extents.resize(extents.size() - 1);
  extents.back() = size;
  accelerator& device = place_device_array(istft_name, spectra->on(istft_name), on);
  return run_to_new(istft_name, device, what, on.precision, {spectra}, {{extents, false}})[0];
}

template class istft_plan<float>;
template class istft_plan<double>;

}  // namespace papilio
