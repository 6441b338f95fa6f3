#include "cli/plan_operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "cli/common.hpp"
#include "cli/expression_parser.hpp"
#include "papilio/base/error.hpp"
#include "papilio/signal/window.hpp"

namespace papilio::cli {
namespace {

/// NAME=VALUE behind the sizes. `read` reads the value, or fails where it stands.
struct setting {
  const char* name;
  std::function<void(expression_parser&)> read;
};

setting size_setting(const char* name, placed_size& size) {
  return {name, [&size](expression_parser& p) {
            size.at = p.position();
            size.value = p.size();
          }};
}

template <class Value>
setting word_setting(const char* name, Value& value,
                     std::vector<std::pair<std::string, Value>> words) {
  return {name, [&value, words = std::move(words)](expression_parser& p) {
            const std::size_t at = p.position();
            const std::string_view word = p.word();
            std::string known;
            for (const auto& [text, meaning] : words) {
              if (text == word) {
                value = meaning;
                return;
              }
              known += (known.empty() ? "" : ", ") + text;
            }
            p.fail(fmt::format("one of {} is expected", known), at);
          }};
}

void read_settings(expression_parser& p, const std::vector<setting>& all) {
  std::string known;
  for (const setting& s : all) known += (known.empty() ? "" : ", ") + std::string(s.name);
  std::vector<std::string_view> given;
  for (p.skip_spaces(); !p.at_end(); p.skip_spaces()) {
    const std::size_t at = p.position();
    const std::string_view name = p.word();
    const auto found = std::ranges::find_if(all, [&](const setting& s) { return name == s.name; });
    if (found == all.end())
      p.fail(all.empty() ? "the end is expected" : fmt::format("a setting is expected: {}", known),
             at);
    if (std::ranges::find(given, name) != given.end())
      p.fail(fmt::format("{} is given twice", name), at);
    given.push_back(name);
    if (p.next() != '=') p.fail(fmt::format("\"=\" is expected after {}", name), p.position());
    p.skip();
    found->read(p);
    if (!p.at_end() && p.next() != ' ' && p.next() != '\t')
      p.fail("a space and a setting, or the end, is expected", p.position());
  }
}

std::size_t one_size(expression_parser& p, std::string_view name) {
  const std::vector<placed_size> sizes = p.sizes();
  if (sizes.size() > 1) p.fail(fmt::format("one size too many: {} takes one", name), sizes[1].at);
  return sizes[0].value;
}

std::vector<float> hann(std::size_t n) {
  const array<float, 1> weights = make_window<float>(window_kind::hann, n);
  return {weights.data(), weights.data() + n};
}

/// Windows are as long, and so is what kernels make of them.
constexpr std::size_t most_n_fft = std::size_t{1} << 24;

/// Where they stand in the expression; 0 where it has none of them.
struct segment_settings {
  placed_size n_fft, hop, channels;

  std::vector<setting> list() {
    return {size_setting("n_fft", n_fft), size_setting("hop", hop),
            size_setting("channels", channels)};
  }
};

/// Takes what was given; fails where a segment is not one.
template <class Problem>
void take_segments(const expression_parser& p, const segment_settings& given, Problem& s) {
  if (given.n_fft.value > 0) s.n_fft = given.n_fft.value;
  if (given.hop.value > 0) s.hop = given.hop.value;
  if (given.channels.value > 0) s.channels = given.channels.value;
  if (s.n_fft < 2 || s.n_fft > most_n_fft)
    p.fail(fmt::format("n_fft must be 2 to {}, is {}", most_n_fft, s.n_fft), given.n_fft.at);
  if (s.hop > s.n_fft)
    p.fail(given.hop.value > 0
               ? fmt::format("hop must be at most n_fft, {}, is {}", s.n_fft, s.hop)
               : fmt::format("n_fft must be at least hop, {} where it is not given, is {}", s.hop,
                             s.n_fft),
           given.hop.value > 0 ? given.hop.at : given.n_fft.at);
}

operation short_time(expression_parser& p) {
  stft_problem s;
  s.samples = one_size(p, "stft");
  segment_settings given;
  std::vector<setting> all = given.list();
  all.push_back(word_setting<spectrum_form>("result", s.result,
                                            {{"complex", spectrum_form::complex},
                                             {"magnitude", spectrum_form::magnitude},
                                             {"power", spectrum_form::power}}));
  read_settings(p, all);
  take_segments(p, given, s);
  s.window = hann(s.n_fft);
  return s;
}

operation short_time_inverse(expression_parser& p) {
  istft_problem s;
  s.samples = one_size(p, "istft");
  segment_settings given;
  read_settings(p, given.list());
  take_segments(p, given, s);
  const stft_problem forward{.samples = s.samples, .n_fft = s.n_fft, .hop = s.hop};
  s.segments = shapes_of(forward).out[0].extents[1];
  s.window = hann(s.n_fft);
  return s;
}

operation matrix_product(expression_parser& p, real_type type) {
  gemm_problem g{.type = type};
  std::vector<placed_size> sizes = p.sizes();
  constexpr const char* takes = "gemm takes M x K x N, and at most a number of products before";
  if (sizes.size() < 3)
    p.fail(fmt::format("\"x\" and a size are expected: {}", takes), p.position());
  if (sizes.size() > 4) p.fail(fmt::format("one size too many: {}", takes), sizes[4].at);
  if (sizes.size() == 4) {
    g.batch = sizes[0].value;
    sizes.erase(sizes.begin());
  }
  g.m = sizes[0].value;
  g.k = sizes[1].value;
  g.n = sizes[2].value;
  read_settings(
      p, {word_setting<bool>("elements", g.is_complex, {{"real", false}, {"complex", true}})});
  return g;
}

operation numbers(expression_parser& p, std::string_view name) {
  const operation what = product_problem{.count = one_size(p, name)};
  read_settings(p, {});
  return what;
}

/// Fails where operands have more bytes than there are addresses.
void require_addresses(const expression_parser& p, std::size_t at, const operation& what) {
  try {
    const operand_shapes shapes = shapes_of(what);
    for (const auto* side : {&shapes.in, &shapes.out})
      for (const operand_shape& s : *side) {
        std::size_t bytes = 16;
        for (const std::size_t extent : s.extents) bytes = checked_multiply(bytes, extent, "bytes");
        checked_cast<std::ptrdiff_t>(bytes, "bytes");
      }
  } catch (const resource_error&) {
    p.fail("so many elements have more bytes than there are addresses", at);
  }
}

bool is_transform(std::string_view name) {
  return name != "stft" && name != "istft" && name != "gemm" && name != "product" && name != "mask";
}

}  // namespace

operation array_of(const planned_transform& t) {
  fft_problem whole = t.problem;
  if (t.lines == 1) return whole;
  whole.extents.insert(whole.extents.begin(), t.lines);
  for (std::size_t& axis : whole.axes) ++axis;
  return whole;
}

planned_operation parse_operation(std::string_view text, real_type type) {
  expression_parser p(text);
  p.skip_spaces();
  const std::string_view name = p.letters();
  if (is_transform(name)) {
    planned_transform t = parse_plan_expression(text, type);
    return {t.name, array_of(t), std::move(t)};
  }
  p.require_space_after_name();
  p.skip_spaces();
  const std::size_t at = p.position();
  const bool is_gemm = name == "gemm";
  operation what;
  try {
    what = is_gemm           ? matrix_product(p, type)
           : name == "stft"  ? short_time(p)
           : name == "istft" ? short_time_inverse(p)
                             : numbers(p, name);
  } catch (const resource_error&) {
    p.fail("so many elements have more bytes than there are addresses", at);
  }
  require_addresses(p, at, what);
  if (type == real_type::extended_precision || (!is_gemm && type != real_type::single_precision))
    throw usage_error(
        fmt::format("--type: {} is compared in float{}", name, is_gemm ? " or double" : ""));
  return {std::string(name), std::move(what), std::nullopt};
}

}  // namespace papilio::cli
