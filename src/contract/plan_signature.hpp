#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace papilio::contract_detail {

/// Row of words that holds all that decides a plan. It is made for each look into the cache, so
/// that what is usual needs no memory of its own.
class plan_signature {
 public:
  void add(std::uint64_t word) {
    if (size_ < inline_words) {
      words_[size_++] = word;
      return;
    }
    if (more_.empty()) more_.assign(words_.begin(), words_.end());
    more_.push_back(word);
  }
  template <class Number>
  void add_all(std::span<const Number> numbers) {
    add(numbers.size());
    for (const Number& n : numbers) add(static_cast<std::uint64_t>(n));
  }
  void add_text(std::string_view text) {
    add(text.size());
    for (std::size_t at = 0; at < text.size(); at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + at, std::min(sizeof word, text.size() - at));
      add(word);
    }
  }

  std::span<const std::uint64_t> words() const {
    return more_.empty() ? std::span<const std::uint64_t>(words_.data(), size_)
                         : std::span<const std::uint64_t>(more_);
  }

 private:
  static constexpr std::size_t inline_words = 96;
  std::array<std::uint64_t, inline_words>
      words_;  // not initialised: what is beyond size_ is unused
  std::size_t size_ = 0;
  std::vector<std::uint64_t> more_;
};

/// A signature that is kept.
struct signature_key {
  std::vector<std::uint64_t> words;
  explicit signature_key(const plan_signature& s) : words(s.words().begin(), s.words().end()) {}
};

struct signature_words {
  static std::span<const std::uint64_t> of(const plan_signature& s) { return s.words(); }
  static std::span<const std::uint64_t> of(const signature_key& k) { return k.words; }
};
struct signature_hash {
  using is_transparent = void;
  template <class Key>
  std::size_t operator()(const Key& key) const {
    std::uint64_t h = 0;
    for (std::uint64_t w : signature_words::of(key)) {
      h = (h ^ w) * std::uint64_t{0x9e3779b97f4a7c15};
      h ^= h >> 32;
    }
    return h;
  }
};
struct signature_equal {
  using is_transparent = void;
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return std::ranges::equal(signature_words::of(a), signature_words::of(b));
  }
};

}  // namespace papilio::contract_detail
