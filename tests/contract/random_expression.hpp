#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "contract/naive_step.hpp"
#include "papilio/base/tensor.hpp"

// Random subscripts with what they mean.
namespace papilio::test {

// Labels 0 to 5 have letters, 6 and 7 are those of "...".
inline constexpr int letters = 6, ellipsis_axes = 2;
inline constexpr int broadcast = 15;  // label of axes of extent 1 where others are longer
inline constexpr char alphabet[] = "bXafcZ";

struct made_expression {
  std::string text;
  std::vector<std::vector<int>> axes;  // label by axis, of each operand
  std::vector<int> output;
  std::map<int, std::size_t> sizes;
};

class expression_maker {
 public:
  explicit expression_maker(std::mt19937& random) : random_(random) {}

  made_expression make() {
    std::map<int, std::size_t> wanted;
    for (int label = 0; label < letters + ellipsis_axes; ++label)
      wanted[label] = below(30) == 0 ? 0 : 1 + below(4);
    const std::size_t count = 1 + below(4);
    const bool has_ellipsis = below(3) == 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) e_.text += ',';
      add_operand(wanted, has_ellipsis && below(3) != 0);
    }
    resolve_broadcasts();
    add_output();
    return e_;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }
  std::string blank() { return below(12) == 0 ? " " : ""; }

  void add_axis(const std::map<int, std::size_t>& wanted, int label) {
    std::vector<int>& axes = e_.axes.back();
    std::vector<std::size_t>& extents = extents_.back();
    const auto before = std::ranges::find(axes, label);
    std::size_t extent = below(10) == 0 ? 1 : wanted.at(label);
    if (before != axes.end()) extent = extents[static_cast<std::size_t>(before - axes.begin())];
    axes.push_back(label);
    extents.push_back(extent);
    std::size_t& size = e_.sizes.emplace(label, 1).first->second;
    if (extent != 1) size = extent;
  }

  void add_operand(const std::map<int, std::size_t>& wanted, bool has_ellipsis) {
    e_.axes.emplace_back();
    extents_.emplace_back();
    const std::size_t rank = below(4);
    const std::size_t dots_at = has_ellipsis ? below(rank + 1) : rank + 1;
    for (std::size_t axis = 0; axis <= rank; ++axis) {
      if (axis == dots_at) {
        e_.text += "..." + blank();
        has_dots_ = true;
        // From the right: an operand may have the last axis only.
        for (std::size_t i = below(ellipsis_axes + 1); i < ellipsis_axes; ++i)
          add_axis(wanted, letters + static_cast<int>(i));
      }
      if (axis == rank) break;
      const int label = static_cast<int>(below(letters));
      e_.text += alphabet[label] + blank();
      add_axis(wanted, label);
    }
  }

  void resolve_broadcasts() {
    for (std::size_t o = 0; o < e_.axes.size(); ++o)
      for (std::size_t i = 0; i < e_.axes[o].size(); ++i)
        if (extents_[o][i] != e_.sizes.at(e_.axes[o][i])) {
          e_.axes[o][i] = broadcast;
          e_.sizes[broadcast] = 1;
        }
  }

  void add_output() {
    std::vector<int> there;
    for (const auto& [label, size] : e_.sizes)
      if (label < letters) there.push_back(label);
    std::ranges::shuffle(there, random_);
    std::erase_if(there, [&](int) { return below(2) == 0; });
    e_.text += "->";
    const std::size_t dots_at = has_dots_ ? below(there.size() + 1) : there.size() + 1;
    for (std::size_t i = 0; i <= there.size(); ++i) {
      if (i == dots_at) {
        e_.text += "...";
        for (int label = letters; label < letters + ellipsis_axes; ++label)
          if (e_.sizes.contains(label)) e_.output.push_back(label);
      }
      if (i == there.size()) break;
      e_.text += alphabet[there[i]] + blank();
      e_.output.push_back(there[i]);
    }
  }

  std::mt19937& random_;
  made_expression e_;
  std::vector<std::vector<std::size_t>> extents_;
  bool has_dots_ = false;
};

template <class T>
tensor_view<const T> view_of(const stored<T>& s) {
  return {s.data(), s.shape.extents, s.shape.strides};
}

/// Row-major.
template <class T>
tensor<T> made(std::vector<std::size_t> extents, unsigned seed) {
  tensor<T> t(extents, uninitialized);
  std::mt19937 random(seed);
  for (T& x : t.flat()) x = element_from<T>(random);
  return t;
}

}  // namespace papilio::test
