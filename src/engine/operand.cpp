#include "papilio/engine/operand.hpp"

#include <algorithm>
#include <array>

#include "engine/storage.hpp"
#include "papilio/base/error.hpp"

namespace papilio::engine {
namespace {

using base_detail::message;

[[noreturn]] void refuse(const std::string& what, const std::string& reason) {
  throw shape_error(what + ": " + reason);
}

// A list of a pattern's levels without allocation. It keeps as many levels as any view may have and
// only counts further ones, so that assign() can name their number when it refuses them.
class level_list {
 public:
  void push_back(const pattern_dim& d) {
    if (count_ < levels_.size()) levels_[count_] = d;
    ++count_;
  }
  void append(std::span<const pattern_dim> dims) {
    for (const pattern_dim& d : dims) push_back(d);
  }
  void clear() { count_ = 0; }
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  pattern_dim& back() { return levels_[count_ - 1]; }
  const pattern_dim& operator[](std::size_t i) const { return levels_[i]; }

 private:
  std::array<pattern_dim, std::max(tile_view::dims_max, hbm_view::dims_max)> levels_;
  std::size_t count_ = 0;
};

// Returns the levels of a reshaped view. Levels that continue each other are merged, and then split
// into the new extents. The list is empty if the new shape cannot be expressed by strides.
level_list regrouped(std::span<const pattern_dim> dims,
                     std::initializer_list<std::int64_t> extents) {
  level_list merged;
  for (const pattern_dim& d : dims) {
    if (d.extent == 1) continue;
    if (!merged.empty() && merged.back().stride == d.stride * d.extent)
      merged.back() = {merged.back().extent * d.extent, d.stride};
    else
      merged.push_back(d);
  }
  level_list result;
  std::size_t at = 0;
  std::int64_t left = merged.empty() ? 1 : merged[0].extent;
  for (const std::int64_t e : extents) {
    if (e == 1) {
      result.push_back({1, 1});
      continue;
    }
    if (left == 1 && at + 1 < merged.size()) left = merged[++at].extent;
    if (e < 1 || left % e != 0) return {};
    left /= e;
    result.push_back({e, merged[at].stride * left});
  }
  return left == 1 && at + 1 >= merged.size() ? result : level_list{};
}

std::int64_t product(std::initializer_list<std::int64_t> extents) {
  std::int64_t count = 1;
  for (const std::int64_t e : extents) count = checked_multiply(count, e, "reshape: elements");
  return count;
}

// `from` is a level_list or a span of levels.
template <std::size_t Max, class Levels>
void assign(std::array<pattern_dim, Max>& dims, std::int8_t& rank, const char* what,
            const Levels& from) {
  if (from.size() > Max) refuse(what, message("at most ", Max, " levels, got ", from.size()));
  for (std::size_t i = 0; i < from.size(); ++i) dims[i] = from[i];
  rank = std::int8_t(from.size());
}

template <std::size_t Max>
level_list permuted(const std::array<pattern_dim, Max>& dims, int rank, int first, const char* what,
                    std::initializer_list<int> order) {
  level_list result;
  std::array<bool, Max> seen{};
  for (const int axis : order) {
    const int i = axis - first;
    if (i < 0 || i >= rank || seen[std::size_t(i)])
      refuse(what, message("axis ", axis, " is out of range or given twice"));
    seen[std::size_t(i)] = true;
    result.push_back(dims[std::size_t(i)]);
  }
  if (int(order.size()) != rank) refuse(what, message(order.size(), " axes for ", rank));
  return result;
}

// The arguments come from the user and may be of any size, so that the bounds are checked without
// overflow.
void check_slice(const char* what, std::int64_t extent, std::int64_t first, std::int64_t count,
                 std::int64_t step) {
  if (step == 1 && count >= 1 && first >= 0 && first < extent && count <= extent - first) return;
  std::int64_t span, last;
  const bool fits = count >= 1 && first >= 0 && first < extent &&
                    !__builtin_mul_overflow(count - 1, step, &span) &&
                    !__builtin_add_overflow(first, span, &last) && last >= 0 && last < extent;
  if (!fits)
    refuse(what, message(count, " elements from ", first, " on, step ", step,
                         ", are not all in [0, ", extent, ")"));
}

// Refuses a repetition whose number of elements exceeds int64.
void check_repeat(const char* what, std::int64_t elements, std::int64_t count) {
  if (count < 1) refuse(what, message("count must be at least 1, got ", count));
  checked_multiply(elements, count, what);
}

std::string pattern_text(std::span<const pattern_dim> dims) {
  std::string text;
  for (const pattern_dim& d : dims)
    text += (text.empty() ? "" : " x ") + message(d.extent, "@", d.stride);
  return text.empty() ? "1" : text;
}

}  // namespace

const char* to_string(memory_space space) { return space == memory_space::sbuf ? "sbuf" : "psum"; }

tile_view tile_view::over(engine_detail::tile_storage& storage, int partitions,
                          std::int64_t columns, dtype type) {
  tile_view v;
  v.storage_ = &storage;
  v.generation_ = storage.generation;
  v.type_ = type;
  v.space_ = storage.space;
  v.partitions_ = std::int16_t(partitions);
  v.rank_ = 1;
  v.dims_[0] = {columns, 1};
  return v;
}

tile_view tile_view::slice(int axis, std::int64_t first, std::int64_t count,
                           std::int64_t step) const {
  if (axis < 0 || axis > rank_)
    refuse("tile_view::slice", message("axis ", axis, " of ", rank_ + 1));
  tile_view v = *this;
  if (axis == 0) {
    check_slice("tile_view::slice of partitions", partitions_, first, count, step);
    if (step != 1 && count > 1)
      refuse("tile_view::slice of partitions", message("step must be 1, got ", step));
    v.partition_ = std::int16_t(partition_ + first);
    v.partitions_ = std::int16_t(count);
    return v;
  }
  pattern_dim& d = v.dims_[std::size_t(axis) - 1];
  check_slice("tile_view::slice", d.extent, first, count, step);
  v.offset_bytes_ += first * d.stride * std::int64_t(size_bytes(type_));
  d = {count, count > 1 ? d.stride * step : d.stride};
  return v;
}

tile_view tile_view::reshape(std::initializer_list<std::int64_t> extents) const {
  const level_list levels =
      product(extents) == elements() ? regrouped(dims(), extents) : level_list{};
  if (levels.empty())
    refuse("tile_view::reshape", "the extents do not fit the pattern " + pattern_text(dims()));
  tile_view v = *this;
  assign(v.dims_, v.rank_, "tile_view::reshape", levels);
  return v;
}

tile_view tile_view::permute(std::initializer_list<int> levels) const {
  tile_view v = *this;
  assign(v.dims_, v.rank_, "tile_view::permute",
         permuted(dims_, rank_, 1, "tile_view::permute", levels));
  return v;
}

tile_view tile_view::repeat(std::int64_t count) const {
  check_repeat("tile_view::repeat", elements(), count);
  level_list levels;
  levels.push_back({count, 0});
  levels.append(dims());
  tile_view v = *this;
  assign(v.dims_, v.rank_, "tile_view::repeat", levels);
  return v;
}

tile_view tile_view::spread(std::int64_t count) const {
  check_repeat("tile_view::spread", elements(), count);
  level_list levels;
  levels.append(dims());
  if (levels.size() == 1 && levels[0].extent == 1) levels.clear();
  levels.push_back({count, 0});
  tile_view v = *this;
  assign(v.dims_, v.rank_, "tile_view::spread", levels);
  return v;
}

tile_view tile_view::as(dtype other) const {
  tile_view v = *this;
  v.type_ = other;
  const auto in_each = std::int64_t(size_bytes(type_) / size_bytes(other));
  if (in_each == 1) return v;
  if (in_each == 0)
    refuse("tile_view::as", message(to_string(other), " is larger than ", to_string(type_)));
  if (rank_ == 0 || dims_[rank_ - 1].stride != 1)
    refuse("tile_view::as",
           message(describe(), " as ", to_string(other), ": elements must lie side by side"));
  for (int i = 0; i + 1 < rank_; ++i) v.dims_[i].stride *= in_each;
  v.dims_[rank_ - 1].extent *= in_each;
  return v;
}

tile_view tile_view::pattern(std::int64_t offset, std::span<const pattern_dim> dims) const {
  constexpr const char* what = "tile_view::pattern";
  std::int64_t elements = 1;
  for (const pattern_dim& d : dims) {
    if (d.extent < 1) refuse(what, message("extents must be at least 1, got ", d.extent));
    elements = checked_multiply(elements, d.extent, what);
  }
  tile_view v = *this;
  assign(v.dims_, v.rank_, what, dims);
  v.offset_bytes_ = checked_add(
      offset_bytes_, checked_multiply(offset, std::int64_t(size_bytes(type_)), what), what);
  return v;
}

bool tile_view::operator==(const tile_view& other) const {
  return storage_ == other.storage_ && generation_ == other.generation_ && type_ == other.type_ &&
         partition_ == other.partition_ && partitions_ == other.partitions_ &&
         offset_bytes_ == other.offset_bytes_ && std::ranges::equal(dims(), other.dims());
}

bool hbm_view::operator==(const hbm_view& other) const {
  return storage_ == other.storage_ && type_ == other.type_ && offset_ == other.offset_ &&
         std::ranges::equal(dims(), other.dims());
}

std::string tile_view::describe() const {
  if (empty()) return "(none)";
  return message(to_string(space_), " tile ", storage_->number, " [", partition_, ":",
                 partition_ + partitions_, ", ", pattern_text(dims()), "] ", to_string(type_));
}

hbm_view hbm_view::over(engine_detail::hbm_storage& storage, std::span<const std::int64_t> extents,
                        dtype type) {
  hbm_view v;
  v.storage_ = &storage;
  v.type_ = type;
  if (extents.size() > std::size_t(dims_max))
    refuse("tensor in HBM", message("at most ", dims_max, " axes, got ", extents.size()));
  v.rank_ = std::int8_t(extents.size());
  std::int64_t stride = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    v.dims_[i] = {extents[i], stride};
    stride *= extents[i];
  }
  return v;
}

hbm_view hbm_view::slice(int axis, std::int64_t first, std::int64_t count,
                         std::int64_t step) const {
  if (axis < 0 || axis >= rank_) refuse("hbm_view::slice", message("axis ", axis, " of ", rank_));
  hbm_view v = *this;
  pattern_dim& d = v.dims_[std::size_t(axis)];
  check_slice("hbm_view::slice", d.extent, first, count, step);
  v.offset_ += first * d.stride;
  d = {count, count > 1 ? d.stride * step : d.stride};
  return v;
}

hbm_view hbm_view::reshape(std::initializer_list<std::int64_t> extents) const {
  const level_list levels =
      product(extents) == elements() ? regrouped(dims(), extents) : level_list{};
  if (levels.empty())
    refuse("hbm_view::reshape", "the extents do not fit the pattern " + pattern_text(dims()));
  hbm_view v = *this;
  assign(v.dims_, v.rank_, "hbm_view::reshape", levels);
  return v;
}

hbm_view hbm_view::permute(std::initializer_list<int> axes) const {
  hbm_view v = *this;
  assign(v.dims_, v.rank_, "hbm_view::permute",
         permuted(dims_, rank_, 0, "hbm_view::permute", axes));
  return v;
}

hbm_view hbm_view::repeat(std::int64_t count) const {
  check_repeat("hbm_view::repeat", elements(), count);
  level_list levels;
  levels.push_back({count, 0});
  levels.append(dims());
  hbm_view v = *this;
  assign(v.dims_, v.rank_, "hbm_view::repeat", levels);
  return v;
}

hbm_view hbm_view::pattern(std::int64_t offset, std::span<const pattern_dim> dims) const {
  constexpr const char* what = "hbm_view::pattern";
  if (empty()) refuse(what, "there is no tensor");
  hbm_view v = *this;
  assign(v.dims_, v.rank_, what, dims);
  v.offset_ = checked_add(offset_, offset, what);
  std::int64_t lo = v.offset_, hi = v.offset_, elements = 1;
  for (const pattern_dim& d : dims) {
    if (d.extent < 1) refuse(what, message("extents must be at least 1, got ", d.extent));
    elements = checked_multiply(elements, d.extent, what);
    std::int64_t& end = d.stride < 0 ? lo : hi;
    end = checked_add(end, checked_multiply(d.extent - 1, d.stride, what), what);
  }
  if (lo < 0 || hi >= storage_->elements)
    refuse(what, message("elements [", lo, ", ", hi, "] leave ", storage_->name, ", which has ",
                         storage_->elements));
  return v;
}

std::string hbm_view::describe() const {
  if (empty()) return "(none)";
  return message(storage_->name, " [", offset_, " + ", pattern_text(dims()), "] ",
                 to_string(type_));
}

}  // namespace papilio::engine
