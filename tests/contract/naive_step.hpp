#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <limits>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "contract/layout.hpp"

// Contractions of two operands by their definition, in long double.
namespace papilio::test {

using contract_detail::layout;
using exact_number = std::complex<long double>;

template <class T>
using real_part_of = decltype(std::real(T()));

template <class T>
T element_from(std::mt19937& random) {
  std::normal_distribution<real_part_of<T>> normal;
  const auto re = normal(random);
  if constexpr (std::is_floating_point_v<T>)
    return re;
  else
    return {re, normal(random)};
}

template <class T>
exact_number exact_value(T x) {
  return {static_cast<long double>(std::real(x)), static_cast<long double>(std::imag(x))};
}

/// A layout in memory of its own: what lies between its elements is not a number.
template <class T>
struct stored {
  layout shape;
  std::vector<T> memory;
  std::ptrdiff_t origin = 0;

  stored(layout l, std::mt19937& random) : shape(std::move(l)) {
    std::ptrdiff_t low = 0, high = 0;
    bool is_empty = false;
    for (std::size_t i = 0; i < shape.labels.size(); ++i) {
      is_empty = is_empty || shape.extents[i] == 0;
      const auto last = static_cast<std::ptrdiff_t>(shape.extents[i]) - 1;
      (shape.strides[i] < 0 ? low : high) += std::max<std::ptrdiff_t>(last, 0) * shape.strides[i];
    }
    origin = -low;
    memory.assign(static_cast<std::size_t>(high - low + 1),
                  T(std::numeric_limits<real_part_of<T>>::quiet_NaN()));
    if (!is_empty) fill(0, origin, random);
  }
  T* data() { return memory.data() + origin; }
  const T* data() const { return memory.data() + origin; }

 private:
  void fill(std::size_t axis, std::ptrdiff_t at, std::mt19937& random) {
    if (axis == shape.labels.size()) {
      memory[static_cast<std::size_t>(at)] = element_from<T>(random);
      return;
    }
    for (std::size_t i = 0; i < shape.extents[axis]; ++i)
      fill(axis + 1, at + static_cast<std::ptrdiff_t>(i) * shape.strides[axis], random);
  }
};

/// The index of each label, of which there are few.
using label_values = std::array<std::size_t, 16>;

/// The index space of a step: each label once.
struct step_space {
  std::vector<int> kept, summed;
  std::map<int, std::size_t> extents;

  step_space(std::span<const layout* const> inputs, const layout& out) : kept(out.labels) {
    for (const layout* in : inputs)
      for (std::size_t i = 0; i < in->labels.size(); ++i) {
        const int label = in->labels[i];
        if (extents.emplace(label, in->extents[i]).second &&
            std::ranges::find(kept, label) == kept.end())
          summed.push_back(label);
      }
  }

  /// Calls body(values by label) for every value of these labels.
  template <class Body>
  void for_each(const std::vector<int>& labels, label_values& at, const Body& body,
                std::size_t next = 0) const {
    if (next == labels.size()) return body();
    for (std::size_t i = 0; i < extents.at(labels[next]); ++i) {
      at[static_cast<std::size_t>(labels[next])] = i;
      for_each(labels, at, body, next + 1);
    }
  }
};

inline std::ptrdiff_t offset_of(const layout& l, const label_values& at) {
  std::ptrdiff_t offset = 0;
  for (std::size_t i = 0; i < l.labels.size(); ++i)
    offset += static_cast<std::ptrdiff_t>(at[static_cast<std::size_t>(l.labels[i])]) * l.strides[i];
  return offset;
}

/// A value and the sum of the magnitudes of all that was added to get it, with their number.
struct bounded_value {
  exact_number value = 0;
  long double magnitude = 0;
  std::size_t terms = 0;
};

/// sum over the summed labels of the product of the operands, conjugated where asked.
template <class T>
bounded_value naive_sum(const step_space& space, std::span<const stored<T>* const> operands,
                        const std::vector<bool>& conjugates, label_values at) {
  bounded_value result;
  space.for_each(space.summed, at, [&] {
    exact_number product = 1;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const auto x = exact_value(operands[i]->data()[offset_of(operands[i]->shape, at)]);
      product *= conjugates[i] ? std::conj(x) : x;
    }
    result.value += product;
    result.magnitude += std::abs(product);
    ++result.terms;
  });
  return result;
}

/// A layout of these labels: axes in memory in a random order, with gaps, backwards, and, of an
/// input, broadcast.
inline layout random_layout(std::vector<int> labels, const std::map<int, std::size_t>& extents,
                            bool is_input, std::mt19937& random) {
  const auto chance = [&](int in) { return random() % static_cast<unsigned>(in) == 0; };
  layout result{.labels = std::move(labels), .extents = {}, .strides = {}};
  for (int label : result.labels) result.extents.push_back(extents.at(label));
  std::vector<std::size_t> order(result.labels.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (!chance(3)) std::ranges::shuffle(order, random);
  result.strides.resize(order.size());
  std::ptrdiff_t step = chance(6) ? 2 : 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::size_t axis = order[i];
    result.strides[axis] = chance(8) ? -step : step;
    if (is_input && chance(12)) {
      result.strides[axis] = 0;
      continue;
    }
    step *= static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, result.extents[axis]));
    if (chance(6)) step += 3;
  }
  return result;
}

inline std::string text_of(const layout& l) {
  std::string text;
  for (std::size_t i = 0; i < l.labels.size(); ++i) {
    text += static_cast<char>('a' + l.labels[i]);
    text += std::to_string(l.extents[i]);
    text += '/';
    text += std::to_string(l.strides[i]);
    text += ' ';
  }
  return text;
}

/// "abc" as labels 0, 1, 2, row-major.
inline layout row_major(const std::string& letters, const std::map<char, std::size_t>& extents) {
  layout result;
  std::ptrdiff_t step = 1;
  for (std::size_t i = letters.size(); i-- > 0;) {
    result.labels.insert(result.labels.begin(), letters[i] - 'a');
    result.extents.insert(result.extents.begin(), extents.at(letters[i]));
    result.strides.insert(result.strides.begin(), step);
    step *= static_cast<std::ptrdiff_t>(extents.at(letters[i]));
  }
  return result;
}

}  // namespace papilio::test
