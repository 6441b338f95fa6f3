#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"

// Layouts of arrays among processes, and the steps of transforms of such arrays: values, which need
// no MPI.
namespace papilio::mpi {

/// Part of an array: the elements first[a] <= i[a] < first[a] + extents[a]. Empty where an extent is
/// 0.
struct PAPILIO_API box {
  std::vector<std::size_t> first, extents;

  std::size_t size() const;
  bool empty() const { return size() == 0; }
  bool operator==(const box&) const = default;
};

/// Returns the elements that two boxes of one array share.
PAPILIO_API box intersection(const box& a, const box& b);

/// Array cut into boxes by a grid of processes: axis a into grid[a] pieces, of which the first
/// extents[a] % grid[a] are one element longer than the others. Pieces may be empty. Ranks count the
/// grid's points in row-major order: grid {p, 1, 1} cuts slabs, {p, q, 1} pencils.
class PAPILIO_API distribution {
 public:
  /// Cuts an array. Throws invalid_argument unless there are 1 ... 8 axes, as many numbers in the
  /// grid, and each of both is at least 1; resource_error if the ranks exceed 2^31 - 1.
  distribution(std::vector<std::size_t> extents, std::vector<int> grid);

  const std::vector<std::size_t>& extents() const { return extents_; }
  const std::vector<int>& grid() const { return grid_; }
  int ranks() const { return ranks_; }
  /// Throws invalid_argument unless 0 <= rank < ranks().
  box box_of(int rank) const;
  /// Ranks whose boxes share elements with `part`, which is not empty, rising.
  std::vector<int> owners_of(const box& part) const;
  bool operator==(const distribution&) const = default;

 private:
  std::vector<std::size_t> extents_;
  std::vector<int> grid_;
  int ranks_;
};

/// Returns the grid as "4x2x1".
PAPILIO_API std::string to_string(const distribution& cut);

/// Distribution of a result: natural, that of the input; transposed, that which the last step left,
/// which saves an exchange.
enum class order { natural, transposed };

/// Steps of a transform of an array among processes. Each transforms along some axes, in the order
/// given, all of which are whole in the distribution that it finds, and leaves the array in `next`.
struct fft_design {
  struct step {
    std::vector<std::size_t> axes;
    distribution next;
    bool operator==(const step&) const = default;
  };
  distribution input;
  std::vector<step> steps;

  const distribution& output() const { return steps.empty() ? input : steps.back().next; }
  bool operator==(const fft_design&) const = default;
};

/// Designs the transform of an array that lies in `input`, from the last axis to the first. Where the
/// next axis is cut, the cut goes to the nearest axis behind it. O(rank^2).
/// Throws invalid_argument if the last axis is cut.
PAPILIO_API fft_design design_forward(const distribution& input, order output);

/// Designs the transform of an array that lies where design_forward(input, output) leaves it, back to
/// `input`, from the first axis to the last.
PAPILIO_API fft_design design_inverse(const distribution& input, order output);

/// Returns the grid on `ranks` processes whose largest boxes, over all steps to the output, are the
/// smallest, each exchange counted as another pass; of those within 5 % that which cuts the first
/// axes: slabs as long as they are even, then pencils.
/// Throws invalid_argument if ranks is below 1, or for extents as distribution.
PAPILIO_API std::vector<int> best_grid(const std::vector<std::size_t>& extents, int ranks,
                                       order output);

/// Returns one line for each step: its axes, where it goes, and the largest box.
PAPILIO_API std::string to_string(const fft_design& design);

}  // namespace papilio::mpi
