#pragma once

#include "cli/json_value.hpp"
#include "cli/sound_verb.hpp"

namespace papilio::cli {

/// How much a page holds of each of so many sounds: all of them together stay within page_bytes, as
/// long as the least that is shown of one does.
struct page_detail {
  std::size_t columns = 960, rows = 360;  ///< of the spectrogram
  std::size_t points = 2400;              ///< of the spectrum; of levels and features no more

  /// Bytes that one sound of this detail takes in a page, at most.
  std::size_t most_bytes() const;
};

/// The size that pages stay within, and the detail that so many sounds on one page get for it.
inline constexpr std::size_t page_bytes = std::size_t{32} << 20;
page_detail page_detail_of(std::size_t sounds);

/// Colours of the levels' steps, 0xRRGGBB, from which the page reads levels back.
json_value page_palette();

/// How a sound is looked at.
struct page_request {
  excerpt_request part;
  sound_flags sound;
  std::size_t peaks = 10;
};

/// A sound as a page shows it.
struct page_sound {
  json_value figures;  ///< key figures, for tables and the report
  std::string part;    ///< JSON of all that is drawn
  std::vector<std::string> warnings;
};

/// Looks at a sound, in one reading: the numbers of `papilio spectrogram`, `psd` and `features`
/// with their defaults, as many as the detail has room for. io_error for what the file is to blame
/// for.
page_sound look_at_sound(const page_request& request, const page_detail& detail,
                         const file_request& of);

}  // namespace papilio::cli
