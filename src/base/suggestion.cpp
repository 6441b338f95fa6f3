#include "base/suggestion.hpp"

#include <algorithm>

namespace papilio::base_detail {
namespace {

constexpr std::size_t longest_word = 100;

// Letters that are put in, left out, changed or exchanged with their neighbours.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min(
          {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

}  // namespace

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  if (word.size() > longest_word) return {};
  const std::string* best = nullptr;
  std::size_t least = std::min<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& k : known) {
    const std::size_t d = k.starts_with(word) && word.size() > 3 ? 0 : distance(word, k);
    if (d < least) {
      least = d;
      best = &k;
    }
  }
  return best == nullptr ? "" : "; did you mean " + *best + "?";
}

}  // namespace papilio::base_detail
