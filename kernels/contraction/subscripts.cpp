// Contractions as text, for the catalog.
#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "kernels/entries.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/contraction.hpp"

namespace papilio::kernels {
namespace {

using base_detail::message;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

std::int64_t size_in(std::string_view text) {
  std::int64_t size = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (fault != std::errc() || end != text.data() + text.size() || size < 1)
    throw invalid_argument(
        message("contraction: sizes must be whole numbers of at least 1, got \"", text, "\""));
  return size;
}

class reader {
 public:
  explicit reader(std::string_view subscripts) : text_(subscripts) {}

  contraction_shape read() {
    const std::size_t arrow = text_.find("->");
    if (arrow == std::string_view::npos)
      throw invalid_argument(message("contraction: subscripts must have \"->\", got \"", text_, "\""));
    for (const std::string_view term : parts_of(text_.substr(0, arrow)))
      shape_.operands.push_back({labels_of(term), false});
    const std::vector<int> out = labels_of(text_.substr(arrow + 2));
    add_steps(out);
    shape_.results = {shape_.operands.size() + shape_.steps.size() - 1};
    return std::move(shape_);
  }
  const std::string& letters() const { return letters_; }

 private:
  std::vector<int> labels_of(std::string_view term) {
    std::vector<int> labels;
    for (const char c : term) {
      if (!is_letter(c))
        throw invalid_argument(message("contraction: subscripts must be letters, got \"", term, "\""));
      if (letters_.find(c) == std::string::npos) letters_ += c;
      labels.push_back(int(letters_.find(c)));
    }
    return labels;
  }

  // Of a step: what later operands or the result need, in the order of the two.
  void add_steps(const std::vector<int>& out) {
    std::size_t value = 0;
    std::vector<int> labels = shape_.operands[0].labels;
    if (shape_.operands.size() == 1) shape_.steps.push_back({{0}, out});
    for (std::size_t next = 1; next < shape_.operands.size(); ++next) {
      std::vector<int> kept;
      const auto keep = [&](int label) {
        bool needed = std::ranges::find(out, label) != out.end();
        for (std::size_t o = next + 1; o < shape_.operands.size(); ++o)
          needed = needed || std::ranges::find(shape_.operands[o].labels, label) !=
                                 shape_.operands[o].labels.end();
        if (needed && std::ranges::find(kept, label) == kept.end()) kept.push_back(label);
      };
      for (const int label : labels) keep(label);
      for (const int label : shape_.operands[next].labels) keep(label);
      if (next + 1 == shape_.operands.size()) kept = out;
      shape_.steps.push_back({{value, next}, kept});
      value = shape_.operands.size() + shape_.steps.size() - 1;
      labels = kept;
    }
  }

  std::string_view text_;
  std::string letters_;
  contraction_shape shape_;
};

}  // namespace

contraction_shape contraction_of(std::string_view subscripts, std::string_view sizes,
                                 bool is_complex) {
  reader r(subscripts);
  contraction_shape shape = r.read();
  shape.is_complex = is_complex;
  shape.sizes.assign(r.letters().size(), 0);
  if (sizes.find('=') == std::string_view::npos) {
    shape.sizes.assign(r.letters().size(), size_in(sizes));
    return shape;
  }
  for (const std::string_view part : parts_of(sizes)) {
    const std::size_t at = part.empty() ? std::string::npos : r.letters().find(part[0]);
    if (part.size() < 3 || part[1] != '=' || at == std::string::npos)
      throw invalid_argument(message("contraction: sizes must be LETTER=SIZE of the subscripts' ",
                                     "letters, got \"", part, "\""));
    shape.sizes[at] = size_in(part.substr(2));
  }
  for (std::size_t i = 0; i < shape.sizes.size(); ++i)
    if (shape.sizes[i] == 0)
      throw invalid_argument(message("contraction: sizes has none for ", r.letters()[i]));
  return shape;
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

kernels::catalog_entry contraction_entry() {
  return {.name = "contraction",
          .summary = "sums of products of several tensors, all steps in one program",
          .parameters = {{.name = "subscripts",
                          .preset = "ab,cd,bdef,ge,hf->acgh",
                          .help = "Labels of the operands and of the result; steps from the left",
                          .choices = {},
                          .text = true},
                         {.name = "sizes",
                          .preset = "16",
                          .help = "a=4,b=5,... or one number for all labels",
                          .choices = {},
                          .text = true},
                         {.name = "numbers",
                          .preset = "real",
                          .help = "Of the operands",
                          .choices = {"real", "complex"}}},
          .size = [](const kernels::parameter_values& values, const engine::machine_spec& machine) {
            return kernels::contraction_kernel(
                kernels::contraction_of(values.at("subscripts"), values.at("sizes"),
                                        values.at("numbers") == "complex"),
                machine);
          }};
}

}  // namespace papilio::kernels_detail
