// Contractions as text, for the catalog.
#include <algorithm>
#include <charconv>
#include <utility>

#include "kernels/checks.hpp"
#include "kernels/entries.hpp"
#include "kernels/parameters.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/contraction.hpp"

namespace papilio::kernels {
namespace {

using kernels_detail::require;

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

std::size_t size_in(std::string_view text) {
  std::size_t size = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), size);
  require(fault == std::errc() && end == text.data() + text.size() && size >= 1,
          "contraction: sizes must be whole numbers of at least 1, got \"", text, "\"");
  return size;
}

class reader {
 public:
  explicit reader(std::string_view subscripts) : text_(subscripts) {}

  contraction_problem read() {
    const std::size_t arrow = text_.find("->");
    require(arrow != std::string_view::npos, "contraction: subscripts must have \"->\", got \"",
            text_, "\"");
    for (const std::string_view term : parts_of(text_.substr(0, arrow)))
      terms_.push_back(labels_of(term));
    const std::vector<int> out = labels_of(text_.substr(arrow + 2));
    add_steps(out);
    problem_.results = {terms_.size() + problem_.steps.size() - 1};
    return std::move(problem_);
  }
  const std::string& letters() const { return letters_; }
  const std::vector<std::vector<int>>& terms() const { return terms_; }

 private:
  std::vector<int> labels_of(std::string_view term) {
    std::vector<int> labels;
    for (const char c : term) {
      require(is_letter(c), "contraction: subscripts must be letters, got \"", term, "\"");
      if (letters_.find(c) == std::string::npos) letters_ += c;
      labels.push_back(int(letters_.find(c)));
    }
    return labels;
  }

  // Of a step: what later operands or the result need, in the order of the two.
  void add_steps(const std::vector<int>& out) {
    std::size_t value = 0;
    std::vector<int> labels = terms_[0];
    if (terms_.size() == 1) problem_.steps.push_back({{{0, labels}}, out});
    for (std::size_t next = 1; next < terms_.size(); ++next) {
      std::vector<int> kept;
      const auto keep = [&](int label) {
        bool needed = std::ranges::find(out, label) != out.end();
        for (std::size_t o = next + 1; o < terms_.size(); ++o)
          needed = needed || std::ranges::find(terms_[o], label) != terms_[o].end();
        if (needed && std::ranges::find(kept, label) == kept.end()) kept.push_back(label);
      };
      for (const int label : labels) keep(label);
      for (const int label : terms_[next]) keep(label);
      if (next + 1 == terms_.size()) kept = out;
      problem_.steps.push_back({{{value, labels}, {next, terms_[next]}}, kept});
      value = terms_.size() + problem_.steps.size() - 1;
      labels = kept;
    }
  }

  std::string_view text_;
  std::string letters_;
  std::vector<std::vector<int>> terms_;
  contraction_problem problem_;
};

// By letter.
std::vector<std::size_t> sizes_of(const std::string& letters, std::string_view sizes) {
  if (sizes.find('=') == std::string_view::npos)
    return std::vector<std::size_t>(letters.size(), size_in(sizes));
  std::vector<std::size_t> all(letters.size(), 0);
  for (const std::string_view part : parts_of(sizes)) {
    const std::size_t at = part.empty() ? std::string::npos : letters.find(part[0]);
    require(part.size() >= 3 && part[1] == '=' && at != std::string::npos,
            "contraction: sizes must be LETTER=SIZE of the subscripts' letters, got \"", part,
            "\"");
    all[at] = size_in(part.substr(2));
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    require(all[i] != 0, "contraction: sizes has none for ", letters[i]);
  return all;
}

}  // namespace

contraction_problem contraction_of(std::string_view subscripts, std::string_view sizes,
                                   bool is_complex) {
  reader r(subscripts);
  contraction_problem problem = r.read();
  problem.is_complex = is_complex;
  const std::string& letters = r.letters();
  problem.sizes = letters.empty() ? std::vector<std::size_t>{} : sizes_of(letters, sizes);
  for (const std::vector<int>& term : r.terms()) {
    std::vector<std::size_t>& extents = problem.operands.emplace_back();
    for (const int label : term) extents.push_back(problem.sizes[std::size_t(label)]);
  }
  return problem;
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {
namespace {

contraction_problem problem_in(const kernels::parameter_values& values) {
  return kernels::contraction_of(values.at("subscripts"), values.at("sizes"),
                                 values.at("numbers") == "complex");
}

engine::dtype type_in(const kernels::parameter_values& values) {
  return engine::parse_dtype(values.at("dtype"));
}

// Labels count letters as they first occur.
int label_in(std::string_view subscripts, const std::string& letter) {
  std::string known;
  for (const char c : subscripts.substr(0, subscripts.find("->")))
    if (c != ',' && known.find(c) == std::string::npos) known += c;
  const std::size_t at = letter.size() == 1 ? known.find(letter[0]) : std::string::npos;
  require(at != std::string::npos,
          "contraction: cut must be a label of the operands or widest, got \"", letter, "\"");
  return int(at);
}

}  // namespace

kernels::catalog_entry contraction_entry() {
  return {.name = "contraction",
          .summary = "sums of products of several tensors, all steps in one program",
          .parameters = {{.name = "subscripts",
                          .preset = "ab,cd,bdef,ge,hf->acgh",
                          .help = "Labels of the operands and of the result; steps from the left",
                          .text = true},
                         {.name = "sizes",
                          .preset = "16",
                          .help = "a=4,b=5,... or one number for all labels",
                          .text = true},
                         choice_parameter("numbers", "Type of the operands", {"real", "complex"}),
                         choice_parameter("dtype", "Precision of the tensor engine's operands",
                                          {"fp32", "bf16", "fp16"}),
                         {.name = "cut",
                          .preset = "widest",
                          .help = "Over several cores: the label that is cut, or the widest",
                          .text = true}},
          .size =
              [](const kernels::parameter_values& values, const engine::machine_spec& machine) {
                return kernels::contraction_kernel(problem_in(values), machine, type_in(values));
              },
          .time_on_cores =
              [](const kernels::parameter_values& values, int cores,
                 const engine::machine_spec& machine, const engine::runtime_spec& runtime,
                 const engine::group_options& options) {
                const contraction_problem problem = problem_in(values);
                const std::string& cut = values.at("cut");
                const int label = cut == "widest" ? kernels::widest_label(problem, cores)
                                                  : label_in(values.at("subscripts"), cut);
                return kernels::time_sharded_contraction(problem, label, cores, machine, runtime,
                                                         options, type_in(values));
              }};
}

}  // namespace papilio::kernels_detail
