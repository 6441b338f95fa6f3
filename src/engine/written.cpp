#include "engine/written.hpp"

#include <algorithm>
#include <bit>
#include <functional>

namespace papilio::engine_detail {
namespace {

/// Calls word(index, mask) for the words that bits [first, first + count) lie in.
template <class Word>
void for_each_word(std::int64_t first, std::int64_t count, const Word& word) {
  const std::int64_t end = first + count;
  while (first < end) {
    const std::int64_t in_word = first % 64, take = std::min(end - first, 64 - in_word);
    const std::uint64_t mask = (take == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << take) - 1)
                               << in_word;
    if (!word(std::size_t(first / 64), mask)) return;
    first += take;
  }
}

std::int64_t size_of(engine::dtype type) { return std::int64_t(engine::size_bytes(type)); }

/// Sorts the levels of a pattern by stride, so that its runs are as long as possible: a matrix that
/// is written with its rows on partitions is one run.
std::vector<engine::pattern_dim> in_memory_order(std::span<const engine::pattern_dim> dims) {
  std::vector<engine::pattern_dim> levels(dims.begin(), dims.end()), joined;
  std::erase_if(levels, [](const engine::pattern_dim& d) { return d.extent == 1; });
  std::ranges::sort(levels, std::greater<>{}, &engine::pattern_dim::stride);
  for (const engine::pattern_dim& d : levels)
    if (!joined.empty() && joined.back().stride == d.extent * d.stride)
      joined.back() = {joined.back().extent * d.extent, d.stride};
    else
      joined.push_back(d);
  return joined;
}

}  // namespace

void bit_run::set(std::int64_t first, std::int64_t count) {
  // Rows are long, so that whole words have a loop of their own.
  const std::int64_t end = first + count, inner = (first + 63) / 64, inner_end = end / 64;
  if (inner < inner_end) {
    for (std::int64_t i = inner; i < inner_end; ++i) {
      std::uint64_t& word = words_[std::size_t(i)];
      count_ += word == 0 ? 64 : 64 - std::popcount(word);
      word = ~std::uint64_t{0};
    }
    if (first < inner * 64) set(first, inner * 64 - first);
    if (inner_end * 64 < end) set(inner_end * 64, end - inner_end * 64);
    return;
  }
  for_each_word(first, count, [this](std::size_t i, std::uint64_t mask) {
    count_ += std::popcount(mask & ~words_[i]);
    words_[i] |= mask;
    return true;
  });
}

bool bit_run::all(std::int64_t first, std::int64_t count) const {
  bool every = true;
  for_each_word(first, count, [&](std::size_t i, std::uint64_t mask) {
    return every = (words_[i] & mask) == mask;
  });
  return every;
}

void written_tile::reset(int partitions, std::int64_t bytes) {
  partitions_ = partitions;
  bytes_ = bytes;
  full_ = false;
  segments_.clear();
}

std::size_t written_tile::split_at(int partition) {
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    if (segments_[i].first == partition) return i;
    if (segments_[i].end > partition) {
      segment upper = segments_[i];
      upper.first = segments_[i].end = partition;
      segments_.insert(segments_.begin() + std::ptrdiff_t(i) + 1, std::move(upper));
      return i + 1;
    }
  }
  return segments_.size();
}

void written_tile::write(const engine::tile_view& view) {
  if (full_) return;
  const std::int64_t size = size_of(view.type());
  const bool whole_rows =
      view.dims().size() == 1 && view.dims()[0].stride == 1 && view.elements() * size == bytes_;
  if (whole_rows && view.partitions() == partitions_) return set_all();
  if (segments_.empty()) segments_.push_back({0, partitions_, bit_run(bytes_)});
  std::size_t from = 0, to = segments_.size();
  if (view.partitions() != partitions_) {
    from = split_at(view.partition());
    to = split_at(view.partition() + view.partitions());
  }
  for (std::size_t i = from; i < to; ++i)
    for_each_run(view.dims(), 0, [&](std::int64_t first, std::int64_t count) {
      segments_[i].bits.set(view.offset_bytes() + first * size, count * size);
    });
  for (const segment& s : segments_)
    if (!s.bits.full()) return;
  set_all();
}

bool written_tile::covers(const engine::tile_view& view) const {
  if (full_) return true;
  if (segments_.empty()) return false;
  const std::int64_t size = size_of(view.type());
  bool every = true;
  for (const segment& s : segments_) {
    if (s.end <= view.partition() || s.first >= view.partition() + view.partitions()) continue;
    for_each_run(view.dims(), 0, [&](std::int64_t first, std::int64_t count) {
      every = every && s.bits.all(view.offset_bytes() + first * size, count * size);
    });
  }
  return every;
}

void written_tensor::reset(std::int64_t elements, bool written) {
  elements_ = elements;
  full_ = written || elements == 0;
  full_chunks_ = 0;
  chunks_.clear();
  if (!full_) chunks_.resize(std::size_t((elements + chunk_elements - 1) / chunk_elements));
}

void written_tensor::write_in_chunk(std::int64_t first, std::int64_t count) {
  const std::int64_t index = first / chunk_elements, start = index * chunk_elements;
  chunk& c = chunks_[std::size_t(index)];
  if (c.full) return;
  const std::int64_t size = std::min(chunk_elements, elements_ - start);
  if (!c.bits && count < size) c.bits = std::make_unique<bit_run>(size);
  if (c.bits) c.bits->set(first - start, count);
  if (c.bits && !c.bits->full()) return;
  c.full = true;
  c.bits.reset();
  ++full_chunks_;
}

void written_tensor::write(const engine::hbm_view& view) {
  if (full_) return;
  const auto levels = in_memory_order(view.dims());
  for_each_run(levels, view.offset(), [&](std::int64_t first, std::int64_t count) {
    for (const std::int64_t end = first + count; first < end;) {
      const std::int64_t next = std::min(end, (first / chunk_elements + 1) * chunk_elements);
      write_in_chunk(first, next - first);
      first = next;
    }
  });
  full_ = full_chunks_ == std::int64_t(chunks_.size());
}

bool written_tensor::covers(const engine::hbm_view& view) const {
  if (full_) return true;
  bool every = true;
  const auto levels = in_memory_order(view.dims());
  for_each_run(levels, view.offset(), [&](std::int64_t first, std::int64_t count) {
    for (const std::int64_t end = first + count; every && first < end;) {
      const std::int64_t index = first / chunk_elements, start = index * chunk_elements;
      const std::int64_t take = std::min(end, start + chunk_elements) - first;
      const chunk& c = chunks_[std::size_t(index)];
      every = c.full || (c.bits && c.bits->all(first - start, take));
      first += take;
    }
  });
  return every;
}

std::int64_t written_tensor::missing() const {
  if (full_) return 0;
  std::int64_t count = 0;
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    const std::int64_t start = std::int64_t(i) * chunk_elements;
    const std::int64_t size = std::min(chunk_elements, elements_ - start);
    if (chunks_[i].full) continue;
    if (!chunks_[i].bits) {
      count += size;
      continue;
    }
    for (std::int64_t k = 0; k < size; ++k) count += !chunks_[i].bits->all(k, 1);
  }
  return count;
}

}  // namespace papilio::engine_detail
