#include "cli/plot_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "cli/common.hpp"
#include "cli/validators.hpp"
#include "papilio/base/atomic_file.hpp"
#include "papilio/render.hpp"

namespace papilio::cli {

bool is_picture(const std::string& kind) { return kind == "png" || kind == "svg" || kind == "pdf"; }

void plot_flags::add_to(command& verb, const std::string& lowest) {
  verb.add({{"--frequency-axis", frequency_axis,
             "Frequency axis of the picture: linear, or log in decades, from 1/2000 of its end",
             one_of({"linear", "log"})},
            {"--log-frequency", log_frequency, "", flag_trait::hidden},
            {"--min-db", min_db, fmt::format("Lowest level of the picture [{}]", lowest),
             number_from(-1000, -1)},
            {"--title", title, "Title of the picture [the file's name]"},
            {"--width", width, "Width of the picture in pixels [1280]",
             whole_number_from(minimum_picture_width, maximum_picture_side)},
            {"--height", height, "Height of the picture in pixels [640]",
             whole_number_from(minimum_picture_height, maximum_picture_side)}});
}

void plot_flags::require_picture(const output_flags& outputs) const {
  if (outputs.may_be({"png", "svg", "pdf"})) return;
  if (log_frequency || frequency_axis == "log" || !title.empty() || width || height || min_db)
    throw usage_error(
        "--frequency-axis, --min-db, --title, --width, --height: are for pictures, and --out names "
        "none");
}

void plot_flags::draw(const output& out, const std::string& file, const level_curves& of) const {
  const bool is_log = log_frequency || frequency_axis == "log";
  const std::size_t curves = of.levels_db.extent(0), bins = of.levels_db.extent(1);
  array<double, 2> levels(of.levels_db.extents());
  double ceiling = 0;
  for (std::size_t c = 0; c < curves; ++c)
    for (std::size_t k = 0; k < bins; ++k) {
      ceiling = std::max(ceiling, of.levels_db(c, k));
      // Silence is a line out of the plot's floor, not a gap.
      levels(c, k) = min_db ? std::max(of.levels_db(c, k), *min_db - 1000) : of.levels_db(c, k);
    }
  line_plot plot{
      .x_scale = is_log ? axis_scale::logarithmic : axis_scale::linear,
      .title = title.empty() ? std::filesystem::path(shown_name(file)).filename().string() : title,
      .x_quantity = "Frequency",
      .x_unit = "Hz",
      .y_quantity = "Level",
      .y_unit = of.unit,
      .width = width.value_or(1280),
      .height = height.value_or(640)};
  for (std::size_t c = 0; c < curves; ++c)
    plot.curves.push_back({.y = std::span<const double>(&levels(c, 0u), bins),
                           .step_x = of.step_hz,
                           .name = curves > 1 ? fmt::format("channel {}", c + 1) : std::string()});
  // Three decades are shown, as in music, or all bins if they are fewer.
  plot.x_range = value_range{
      is_log ? std::min(std::max(of.step_hz, of.high_hz / 2000), of.high_hz / 2) : 0, of.high_hz};
  if (min_db) plot.y_range = value_range{*min_db, 10 * std::ceil(ceiling / 10)};
  const std::vector<std::byte> image = line_plot_image(plot, picture_format_of("x." + out.kind));
  atomic_file written(out.path());
  written.write(image.data(), image.size());
  written.commit();
}

}  // namespace papilio::cli
