#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

// Transposing copies of [rows, columns] to [columns, rows] by squares that fit in registers.
namespace papilio::contract_detail {

template <std::size_t Bytes>
struct square_words;
template <>
struct square_words<4> {
  using vector = std::uint32_t __attribute__((vector_size(16)));
  static constexpr std::size_t edge = 4;
  static void transpose(vector* r) {
    const vector a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
    const vector b = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
    const vector c = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
    const vector d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    r[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    r[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    r[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
  }
};
template <>
struct square_words<8> {
  using vector = std::uint64_t __attribute__((vector_size(16)));
  static constexpr std::size_t edge = 2;
  static void transpose(vector* r) {
    const vector a = __builtin_shufflevector(r[0], r[1], 0, 2);
    r[1] = __builtin_shufflevector(r[0], r[1], 1, 3);
    r[0] = a;
  }
};
template <>
struct square_words<16> {
  using vector = std::uint64_t __attribute__((vector_size(16)));
  static constexpr std::size_t edge = 1;
  static void transpose(vector*) {}
};

/// Transposes a square, to[c][r] = from[r][c]; rows of `from` are from_step elements apart, those
/// of `to` to_step.
template <class T>
void transpose_square(const T* from, std::ptrdiff_t from_step, T* to, std::ptrdiff_t to_step) {
  using words = square_words<sizeof(T)>;
  typename words::vector rows[words::edge];
  for (std::size_t i = 0; i < words::edge; ++i, from += from_step)
    std::memcpy(&rows[i], from, sizeof(rows[i]));
  words::transpose(rows);
  for (std::size_t i = 0; i < words::edge; ++i, to += to_step)
    std::memcpy(static_cast<void*>(to), &rows[i], sizeof(rows[i]));
}

/// Transposes a block of any size, by squares of one cache line's edge, so that lines are written
/// whole.
template <class T>
void transpose_block(const T* from, std::ptrdiff_t from_step, std::size_t rows, std::size_t columns,
                     T* to, std::ptrdiff_t to_step) {
  constexpr std::size_t edge = square_words<sizeof(T)>::edge;
  constexpr std::size_t line = 64 / sizeof(T);
  const auto place = [](std::size_t i, std::ptrdiff_t step) {
    return static_cast<std::ptrdiff_t>(i) * step;
  };
  const std::size_t whole_rows = rows / edge * edge, whole_columns = columns / edge * edge;
  for (std::size_t c0 = 0; c0 < whole_columns; c0 += line)
    for (std::size_t r0 = 0; r0 < whole_rows; r0 += line)
      for (std::size_t c = c0; c < std::min(c0 + line, whole_columns); c += edge)
        for (std::size_t r = r0; r < std::min(r0 + line, whole_rows); r += edge)
          transpose_square(from + place(r, from_step) + c, from_step, to + place(c, to_step) + r,
                           to_step);
  for (std::size_t c = 0; c < columns; ++c)
    for (std::size_t r = c < whole_columns ? whole_rows : 0; r < rows; ++r)
      to[place(c, to_step) + static_cast<std::ptrdiff_t>(r)] = from[place(r, from_step) + c];
}

/// Copies lines of `count` elements. Short lines are copied by registers, without a call of memcpy.
template <class T>
void copy_lines(const T* from, std::ptrdiff_t from_step, T* to, std::ptrdiff_t to_step,
                std::size_t lines, std::size_t count) {
  using vector = typename square_words<sizeof(T)>::vector;
  constexpr std::size_t each = sizeof(vector) / sizeof(T), longest = 512 / sizeof(T);
  for (std::size_t l = 0; l < lines; ++l, from += from_step, to += to_step) {
    if (count > longest) {
      std::copy_n(from, count, to);
      continue;
    }
    std::size_t i = 0;
    for (; i + each <= count; i += each) {
      vector words;
      std::memcpy(&words, from + i, sizeof(words));
      std::memcpy(static_cast<void*>(to + i), &words, sizeof(words));
    }
    for (; i < count; ++i) to[i] = from[i];
  }
}

}  // namespace papilio::contract_detail
