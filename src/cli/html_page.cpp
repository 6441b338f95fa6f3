#include "cli/html_page.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/page/texts.hpp"

namespace papilio::cli {
namespace {

/// Text between tags and in attributes.
std::string escaped_html(std::string_view text) {
  std::string safe;
  for (const char c : text)
    safe += c == '&'   ? "&amp;"
            : c == '<' ? "&lt;"
            : c == '>' ? "&gt;"
            : c == '"' ? "&quot;"
                       : std::string(1, c);
  return safe;
}

/// JSON in which nothing ends the element around it, or begins a comment.
std::string escaped_json(std::string_view json) {
  std::string safe;
  for (const char c : json) safe += c == '<' ? "\\u003c" : std::string(1, c);
  return safe;
}

}  // namespace

html_page::html_page(const std::filesystem::path& path, const std::string& title,
                     const json_value& index)
    : file_(path) {
  std::string_view frame = page::page_html;
  const auto until = [&](std::string_view mark) {
    const std::size_t at = frame.find(mark);
    write(frame.substr(0, at));
    frame.remove_prefix(at + mark.size());
  };
  until("@title@");
  write(escaped_html(title));
  until("@style@");
  write(page::page_css);
  until("@script@");
  for (const char* script : {page::chart_js, page::zoom_js, page::spectrogram_js, page::engines_js,
                             page::sound_js, page::gallery_js, page::page_js})
    write(script);
  until("@index@");
  write(escaped_json(json_line(index)));
  write(frame);
}

void html_page::add(const std::string& json) {
  write("<script type=\"application/json\" class=\"part\">");
  write(escaped_json(json));
  write("</script>\n");
}

std::uint64_t html_page::commit() {
  write("</body>\n</html>\n");
  file_.commit();
  return bytes_;
}

void html_page::write(std::string_view text) {
  file_.write(text.data(), text.size());
  bytes_ += text.size();
}

std::string png_address(std::span<const std::byte> png) {
  constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text = "data:image/png;base64,";
  for (std::size_t i = 0; i < png.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t j = i; j < i + 3; ++j)
      bits = bits << 8 | (j < png.size() ? static_cast<std::uint32_t>(png[j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j)
      text += i + j <= png.size() ? digits[bits >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

json_value short_number(double value, int digits) {
  if (!std::isfinite(value)) return {};
  return std::stod(fmt::format("{:.{}g}", value, digits));
}

}  // namespace papilio::cli
