#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/flags.hpp"
#include "cli/outputs.hpp"
#include "papilio/base.hpp"

namespace papilio::cli {

/// Whether it is a picture: "png", "svg" or "pdf".
bool is_picture(const std::string& kind);

/// Levels over frequency, which begins at 0 Hz. [curves, bins]
struct level_curves {
  view<const double, 2> levels_db;
  double step_hz, high_hz;
  std::string unit;  ///< of the levels
};

/// How such curves are drawn, in every verb that does.
struct plot_flags {
  std::string frequency_axis = "linear", title;
  std::optional<std::size_t> width, height;
  std::optional<double> min_db;
  bool log_frequency = false;

  /// `lowest` is what the help says of the lowest level where none is given.
  void add_to(command& verb, const std::string& lowest);
  /// usage_error if one of them is given and no output is a picture.
  void require_picture(const output_flags& outputs) const;
  /// The title is the file's name where none is given.
  void draw(const output& out, const std::string& file, const level_curves& curves) const;
};

}  // namespace papilio::cli
