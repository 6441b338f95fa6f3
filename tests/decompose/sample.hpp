#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "papilio/base.hpp"
#include "papilio/decompose.hpp"

// Inputs and oracles of the tests of decompositions: plain loops in long double.

namespace papilio::test {

using sizes = std::vector<std::size_t>;

inline std::size_t count_of(const sizes& extents) {
  std::size_t count = 1;
  for (const std::size_t e : extents) count *= e;
  return count;
}

/// Of a row-major position.
inline sizes index_of(const sizes& extents, std::size_t at) {
  sizes index(extents.size());
  for (std::size_t mode = extents.size(); mode-- > 0; at /= extents[mode])
    index[mode] = at % extents[mode];
  return index;
}

/// Of 2 to 5 modes and a few hundred elements, extents of 1 among them.
inline std::vector<sizes> random_shapes(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<sizes> shapes(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t mode = 0; mode < 2 + i % 4; ++mode)
      shapes[i].push_back(1 + generator() % (i % 4 == 0   ? 24
                                             : i % 4 == 1 ? 11
                                             : i % 4 == 2 ? 6
                                                          : 4));
  return shapes;
}

template <class T>
tensor<T> normal_tensor(const sizes& extents, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  tensor<T> x{std::span<const std::size_t>(extents)};
  for (T& v : x.flat()) v = static_cast<T>(normal(generator));
  return x;
}

template <class T>
array<T, 2> normal_matrix(std::size_t rows, std::size_t columns, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  array<T, 2> x({rows, columns});
  for (T& v : x) v = static_cast<T>(normal(generator));
  return x;
}

template <class T>
long double element_of(const cp_model<T>& m, const sizes& index) {
  long double sum = 0;
  for (std::size_t r = 0; r < m.rank(); ++r) {
    long double product = m.weights(r);
    for (std::size_t mode = 0; mode < m.order(); ++mode) product *= m.factors[mode](index[mode], r);
    sum += product;
  }
  return sum;
}

template <class T>
long double element_of(const tucker_model<T>& m, const sizes& index) {
  const sizes ranks = m.ranks();
  long double sum = 0;
  for (std::size_t at = 0; at < m.core.size(); ++at) {
    const sizes inner = index_of(ranks, at);
    long double product = m.core.data()[at];
    for (std::size_t mode = 0; mode < m.order(); ++mode)
      product *= m.factors[mode](index[mode], inner[mode]);
    sum += product;
  }
  return sum;
}

template <class T>
long double element_of(const tensor_train<T>& m, const sizes& index) {
  std::vector<long double> row{1};
  for (std::size_t mode = 0; mode < m.order(); ++mode) {
    const array<T, 3>& core = m.cores[mode];
    std::vector<long double> next(core.extent(2));
    for (std::size_t a = 0; a < row.size(); ++a)
      for (std::size_t b = 0; b < next.size(); ++b) next[b] += row[a] * core(a, index[mode], b);
    row = next;
  }
  return row[0];
}

/// All elements, rounded to T.
template <class T, class Model>
tensor<T> naive_tensor(const Model& model) {
  const sizes extents = model.extents();
  tensor<T> x{std::span<const std::size_t>(extents)};
  for (std::size_t at = 0; at < x.size(); ++at)
    x.data()[at] = static_cast<T>(element_of(model, index_of(extents, at)));
  return x;
}

/// Residuals are of sums in double.
inline constexpr double rounding_of_residual = std::numeric_limits<double>::epsilon();

/// |x - model| / |x|.
template <class T, class Model>
double naive_error(const tensor<T>& x, const Model& model, const tensor<bool>* mask = nullptr) {
  const sizes extents(x.extents().begin(), x.extents().end());
  EXPECT_EQ(model.extents(), extents);
  long double error = 0, norm = 0;
  for (std::size_t at = 0; at < x.size(); ++at) {
    if (mask != nullptr && !mask->data()[at]) continue;
    const long double value = x.data()[at];
    const long double difference = value - element_of(model, index_of(extents, at));
    error += difference * difference;
    norm += value * value;
  }
  return static_cast<double>(norm > 0 ? std::sqrt(error / norm) : std::sqrt(error));
}

/// A CP model of normally distributed factors and weights 1.
template <class T>
cp_model<T> normal_cp(const sizes& extents, std::size_t rank, unsigned seed) {
  cp_model<T> m{array<T, 1>(rank), {}};
  std::ranges::fill(m.weights, T(1));
  for (const std::size_t e : extents) m.factors.push_back(normal_matrix<T>(e, rank, seed++));
  return m;
}

/// A tensor train of normally distributed cores.
template <class T>
tensor_train<T> normal_train(const sizes& extents, const sizes& bonds, unsigned seed) {
  tensor_train<T> train;
  for (std::size_t mode = 0; mode < extents.size(); ++mode) {
    const std::size_t before = mode == 0 ? 1 : bonds[mode - 1];
    const std::size_t after = mode + 1 == extents.size() ? 1 : bonds[mode];
    const tensor<T> values = normal_tensor<T>({before, extents[mode], after}, seed++);
    array<T, 3> core({before, extents[mode], after});
    std::ranges::copy(values.flat(), core.begin());
    train.cores.push_back(std::move(core));
  }
  return train;
}

/// A Tucker model of a normally distributed core and factors.
template <class T>
tucker_model<T> normal_tucker(const sizes& extents, const sizes& ranks, unsigned seed) {
  tucker_model<T> m{normal_tensor<T>(ranks, seed), {}};
  for (std::size_t mode = 0; mode < extents.size(); ++mode)
    m.factors.push_back(normal_matrix<T>(extents[mode], ranks[mode], ++seed));
  return m;
}

/// Largest deviation of the columns from an orthonormal set.
template <class T>
double orthogonality_error(view<const T, 2> m) {
  double largest = 0;
  for (std::size_t a = 0; a < m.extent(1); ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      long double sum = a == b ? -1 : 0;
      for (std::size_t i = 0; i < m.extent(0); ++i)
        sum += static_cast<long double>(m(i, a)) * static_cast<long double>(m(i, b));
      largest = std::max(largest, static_cast<double>(std::abs(sum)));
    }
  return largest;
}

/// The same elements through a view whose memory has gaps, runs backwards along odd modes, and has
/// its modes in reverse order.
template <class T>
class scattered {
 public:
  explicit scattered(const tensor<T>& x) {
    std::ptrdiff_t step = 2;
    for (const std::size_t e : x.extents()) {
      extents_.push_back(e);
      strides_.push_back(step);
      step *= static_cast<std::ptrdiff_t>(e);
    }
    memory_.resize(static_cast<std::size_t>(step), std::numeric_limits<T>::quiet_NaN());
    for (std::size_t mode = 1; mode < extents_.size(); mode += 2) {
      first_ += strides_[mode] * static_cast<std::ptrdiff_t>(extents_[mode] - 1);
      strides_[mode] = -strides_[mode];
    }
    for (std::size_t at = 0; at < x.size(); ++at) {
      const sizes index = index_of(extents_, at);
      std::ptrdiff_t offset = first_;
      for (std::size_t mode = 0; mode < index.size(); ++mode)
        offset += strides_[mode] * static_cast<std::ptrdiff_t>(index[mode]);
      memory_[static_cast<std::size_t>(offset)] = x.data()[at];
    }
  }
  tensor_view<const T> view() const { return {memory_.data() + first_, extents_, strides_}; }

 private:
  sizes extents_;
  std::vector<std::ptrdiff_t> strides_;
  std::vector<T> memory_;
  std::ptrdiff_t first_ = 0;
};

template <class T>
bool same_bits(const cp_model<T>& a, const cp_model<T>& b) {
  bool same = std::ranges::equal(a.weights, b.weights) && a.order() == b.order();
  for (std::size_t mode = 0; same && mode < a.order(); ++mode)
    same = std::ranges::equal(a.factors[mode], b.factors[mode]);
  return same;
}

/// That `call` throws an Error whose message has `text` in it.
template <class Error>
void expect_refusal(const std::function<void()>& call, const std::string& text) {
  try {
    call();
    FAIL() << "not refused: " << text;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
  }
}

}  // namespace papilio::test
