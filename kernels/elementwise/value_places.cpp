// Tiles for the values of a program's steps.
#include "kernels/elementwise/value_places.hpp"

#include <algorithm>

#include "kernels/ceil_div.hpp"

namespace papilio::kernels_detail {
namespace {

using engine::machine_spec;
using kind = pointwise_step::kind;

bool is_element(const pointwise_program& p, int step) {
  return p.steps[std::size_t(step)].each == one_for::element;
}

// Elements of a partition that fit, at most what saturates a transfer.
std::int64_t widest(const value_places& tiles, const machine_spec& m) {
  const std::int64_t step = m.sbuf.alignment_bytes,
                     count =
                         2 * (tiles.elements + tiles.rows) + tiles.features + 3 * tiles.sums + 2,
                     room = m.sbuf.bytes_per_partition / (count + 1) / step * step / 4;
  return std::clamp<std::int64_t>(m.dma.saturating_row_bytes / 4, 1,
                                  std::max<std::int64_t>(1, room));
}

}  // namespace

value_places::value_places(const pointwise_program& p)
    : place(p.steps.size(), -1), last_use_(p.steps.size(), 0) {
  const int end = int(p.steps.size());
  // What is computed once stays for all rows.
  const auto use = [&](int value, int at) {
    int& last = last_use_[std::size_t(value)];
    last = std::max(last, is_element(p, at) && !is_element(p, value) ? end : at);
  };
  for (int at = 0; at < end; ++at) {
    const pointwise_step& s = p.steps[std::size_t(at)];
    if (s.what == kind::load) continue;
    use(s.left, at);
    if (s.what == kind::combine) use(s.right, at);
  }
  for (const pointwise_tensor& t : p.outputs)
    for (const int plane : t.planes) last_use_[std::size_t(plane)] = end;
  assign(p, false);
  assign(p, true);
}

// Inputs are loaded before anything is computed. An operand keeps its tile until its last step is
// done, whose result is in another: a view of the operand may repeat it.
void value_places::assign(const pointwise_program& p, bool of_elements) {
  int& count = of_elements ? elements : features;
  std::vector<int> free, live;
  for (const bool loads : {true, false})
    for (int at = 0; at < int(p.steps.size()); ++at) {
      const pointwise_step& s = p.steps[std::size_t(at)];
      if ((s.what == kind::load) != loads) continue;
      if (s.what == kind::sum) {
        if (of_elements) place[std::size_t(at)] = sums++;
      } else if (s.each == one_for::row) {
        if (of_elements) place[std::size_t(at)] = rows++;
      } else if (is_element(p, at) == of_elements) {
        if (free.empty()) free.push_back(count++);
        place[std::size_t(at)] = free.back();
        free.pop_back();
        live.push_back(at);
      }
      if (loads) continue;
      std::erase_if(live, [&](int value) {
        if (last_use_[std::size_t(value)] > at) return false;
        free.push_back(place[std::size_t(value)]);
        return true;
      });
    }
}

std::vector<feature_part> pointwise_parts(std::int64_t rows, std::int64_t features,
                                          const pointwise_program& program, const machine_spec& m) {
  const std::int64_t most = widest(value_places(program), m);
  if (!program.has_sums()) return feature_parts(rows, features, most, m);
  if (features <= most)
    return {{0, 1, features, std::min(most / features, ceil_div(rows, m.sbuf.partitions))}};
  std::vector<feature_part> parts;
  for (std::int64_t first = 0; first < features; first += most)
    parts.push_back({first, 1, std::min(most, features - first), 1});
  return parts;
}

}  // namespace papilio::kernels_detail
