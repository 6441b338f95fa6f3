#include <algorithm>
#include <new>

#include "papilio/render.hpp"
#include "render/level_raster.hpp"
#include "render/png_writer.hpp"

namespace papilio {

using namespace render_detail;

std::vector<std::byte> level_png(view<const float, 2> level_db, const level_colors& colors) {
  constexpr const char* f = "level_png";
  if (level_db.empty())
    throw shape_error(base_detail::message(f, ": level_db has no levels: its shape is [",
                                           level_db.extent(0), ", ", level_db.extent(1), "]"));
  if (std::max(level_db.extent(0), level_db.extent(1)) > maximum_picture_side)
    throw invalid_argument(base_detail::message(f, ": a side must be at most ",
                                                maximum_picture_side, ", not ", level_db.extent(0),
                                                " x ", level_db.extent(1)));
  if (!(colors.ceiling_db - colors.floor_db >= 0.00999f))
    throw invalid_argument(base_detail::message(f,
                                                ": ceiling_db must be at least 0.01 above "
                                                "floor_db ",
                                                colors.floor_db, ", not ", colors.ceiling_db));
  if (colors.steps < 2 || colors.steps > 256)
    throw invalid_argument(base_detail::message(f, ": steps must be 2 to 256, not ", colors.steps));
  try {
    std::vector<rgb> palette;
    for (int i = 0; i < colors.steps; ++i)
      palette.push_back(color_at(colors.map, i / static_cast<double>(colors.steps - 1)));
    const std::size_t height = level_db.extent(0), width = level_db.extent(1);
    level_raster raster(level_db, width, height,
                        {colors.floor_db, colors.ceiling_db, colors.steps});
    std::vector<std::byte> file;
    png_writer png(
        [&file](const void* bytes, std::size_t count) {
          const auto* const first = static_cast<const std::byte*>(bytes);
          file.insert(file.end(), first, first + count);
        },
        width, height, palette);
    std::vector<std::uint8_t> row(width);
    for (std::size_t y = 0; y < height; ++y) {
      raster.draw_row(y, row);
      png.write_row(row);
    }
    png.finish();
    return file;
  } catch (const std::bad_alloc&) {
    throw resource_error(base_detail::message(f, ": no memory for a picture of ",
                                              level_db.extent(1), " x ", level_db.extent(0)));
  }
}

}  // namespace papilio
