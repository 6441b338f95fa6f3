#include "papilio/fft/distribution.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "fft/blocks.hpp"
#include "papilio/base/error.hpp"

namespace papilio::mpi {
namespace {

constexpr std::size_t most_axes = 8;

// The first n % pieces of n elements in pieces are one longer.
std::size_t first_of_piece(std::size_t n, std::size_t pieces, std::size_t piece) {
  return n / pieces * piece + std::min(piece, n % pieces);
}

std::size_t piece_of(std::size_t n, std::size_t pieces, std::size_t index) {
  const std::size_t shorter = n / pieces, longer = n % pieces;
  const std::size_t in_longer = longer * (shorter + 1);
  return index < in_longer ? index / (shorter + 1) : longer + (index - in_longer) / shorter;
}

int checked_ranks(const std::vector<std::size_t>& extents, const std::vector<int>& grid) {
  using base_detail::message;
  if (extents.empty() || extents.size() > most_axes)
    throw invalid_argument(
        message("distribution: an array has 1 to ", most_axes, " axes, got ", extents.size()));
  if (grid.size() != extents.size())
    throw invalid_argument(message("distribution: the grid must have a number for each of ",
                                   extents.size(), " axes, got ", grid.size()));
  std::size_t ranks = 1;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] == 0)
      throw invalid_argument(
          message("distribution: extents must be at least 1, got 0 for axis ", axis));
    if (grid[axis] < 1)
      throw invalid_argument(message("distribution: the grid's numbers must be at least 1, got ",
                                     grid[axis], " for axis ", axis));
    ranks = checked_multiply(ranks, static_cast<std::size_t>(grid[axis]), "distribution: ranks");
  }
  if (ranks > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw resource_error(message("distribution: at most 2147483647 ranks, got ", ranks));
  return static_cast<int>(ranks);
}

}  // namespace

std::size_t box::size() const { return fft_detail::product(extents); }

box intersection(const box& a, const box& b) {
  box both = a;
  for (std::size_t axis = 0; axis < a.first.size(); ++axis) {
    const std::size_t end =
        std::min(a.first[axis] + a.extents[axis], b.first[axis] + b.extents[axis]);
    both.first[axis] = std::max(a.first[axis], b.first[axis]);
    both.extents[axis] = end > both.first[axis] ? end - both.first[axis] : 0;
  }
  return both;
}

distribution::distribution(std::vector<std::size_t> extents, std::vector<int> grid)
    : extents_(std::move(extents)),
      grid_(std::move(grid)),
      ranks_(checked_ranks(extents_, grid_)) {}

box distribution::box_of(int rank) const {
  if (rank < 0 || rank >= ranks_)
    throw invalid_argument(base_detail::message("distribution::box_of: rank must be 0 to ",
                                                ranks_ - 1, ", got ", rank));
  box own{std::vector<std::size_t>(extents_.size()), std::vector<std::size_t>(extents_.size())};
  auto rest = static_cast<std::size_t>(rank);
  for (std::size_t axis = extents_.size(); axis-- > 0;) {
    const auto pieces = static_cast<std::size_t>(grid_[axis]);
    const std::size_t piece = rest % pieces;
    rest /= pieces;
    own.first[axis] = first_of_piece(extents_[axis], pieces, piece);
    own.extents[axis] = first_of_piece(extents_[axis], pieces, piece + 1) - own.first[axis];
  }
  return own;
}

std::vector<int> distribution::owners_of(const box& part) const {
  std::vector<int> owners{0};
  for (std::size_t axis = 0; axis < extents_.size(); ++axis) {
    const auto pieces = static_cast<std::size_t>(grid_[axis]);
    const std::size_t low = piece_of(extents_[axis], pieces, part.first[axis]);
    const std::size_t high =
        piece_of(extents_[axis], pieces, part.first[axis] + part.extents[axis] - 1);
    std::vector<int> more;
    for (const int owner : owners)
      for (std::size_t piece = low; piece <= high; ++piece)
        more.push_back(owner * grid_[axis] + static_cast<int>(piece));
    owners = std::move(more);
  }
  return owners;
}

std::string to_string(const distribution& cut) {
  std::string text;
  for (const int pieces : cut.grid()) text += base_detail::message(text.empty() ? "" : "x", pieces);
  return text;
}

}  // namespace papilio::mpi
