// Contractions by subscripts ("ab,bc->ac") and sizes, as the catalog's parameters name them.
#include <algorithm>
#include <charconv>
#include <utility>

#include "base/labels.hpp"
#include "kernels/checks.hpp"
#include "kernels/entries.hpp"
#include "kernels/parameters.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/contraction.hpp"

namespace papilio::kernels {
namespace {

using base_detail::has;
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

// The letters in the order of their first occurrence; a letter's place is its label.
std::string letters_of(std::string_view subscripts) {
  std::string letters;
  for (const char c : subscripts)
    if (is_letter(c) && letters.find(c) == std::string::npos) letters += c;
  return letters;
}

std::vector<int> labels_of(std::string_view term, const std::string& letters) {
  std::vector<int> labels;
  for (const char c : term) {
    require(is_letter(c), "contraction: subscripts must be letters, got \"", term, "\"");
    labels.push_back(int(letters.find(c)));
  }
  return labels;
}

// Adds steps that contract the operands from the left. A step's result keeps the labels that later
// operands or the result have, in the order of its two operands.
void add_steps(contraction_problem& problem, const std::vector<std::vector<int>>& terms,
               const std::vector<int>& out) {
  if (terms.size() == 1) problem.steps.push_back({{{0, terms[0]}}, out});
  std::size_t value = 0;
  std::vector<int> labels = terms[0];
  for (std::size_t next = 1; next < terms.size(); ++next) {
    std::vector<int> kept;
    for (const std::vector<int>* const of : {&std::as_const(labels), &terms[next]})
      for (const int label : *of) {
        const auto has_it = [&](const std::vector<int>& term) { return has(term, label); };
        if ((has(out, label) ||
             std::any_of(terms.begin() + std::ptrdiff_t(next) + 1, terms.end(), has_it)) &&
            !has(kept, label))
          kept.push_back(label);
      }
    if (next + 1 == terms.size()) kept = out;
    problem.steps.push_back({{{value, labels}, {next, terms[next]}}, kept});
    value = terms.size() + problem.steps.size() - 1;
    labels = kept;
  }
}

// The size of each letter.
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
  const std::size_t arrow = subscripts.find("->");
  require(arrow != std::string_view::npos, "contraction: subscripts must have \"->\", got \"",
          subscripts, "\"");
  const std::string letters = letters_of(subscripts);
  std::vector<std::vector<int>> terms;
  for (const std::string_view term : parts_of(subscripts.substr(0, arrow)))
    terms.push_back(labels_of(term, letters));
  contraction_problem problem;
  problem.is_complex = is_complex;
  add_steps(problem, terms, labels_of(subscripts.substr(arrow + 2), letters));
  problem.results = {terms.size() + problem.steps.size() - 1};
  if (!letters.empty()) problem.sizes = sizes_of(letters, sizes);
  for (const std::vector<int>& term : terms) {
    std::vector<std::size_t>& extents = problem.operands.emplace_back();
    for (const int label : term) extents.push_back(problem.sizes[std::size_t(label)]);
  }
  return problem;
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {
namespace {

struct contraction_request : kernels::contraction_kernel_options {
  std::string subscripts = {}, sizes = {}, cut = {};
  bool is_complex = false;

  contraction_problem problem() const {
    return kernels::contraction_of(subscripts, sizes, is_complex);
  }
};

int label_in(std::string_view subscripts, const std::string& letter) {
  const std::string known = kernels::letters_of(subscripts.substr(0, subscripts.find("->")));
  const std::size_t at = letter.size() == 1 ? known.find(letter[0]) : std::string::npos;
  require(at != std::string::npos,
          "contraction: cut must be a label of the operands or widest, got \"", letter, "\"");
  return int(at);
}

}  // namespace

kernels::catalog_entry contraction_entry() {
  using engine::dtype;
  using r = contraction_request;
  const settings<r> all{
      text_setting("subscripts", &r::subscripts, "ab,cd,bdef,ge,hf->acgh",
                   "Labels of the operands and of the result; steps from the left"),
      text_setting("sizes", &r::sizes, "16", "a=4,b=5,... or one number for all labels"),
      choice_setting("numbers", &r::is_complex, "Type of the operands",
                     {{"real", false}, {"complex", true}}),
      product_dtype_setting(&r::type, "Precision of the tensor engine's operands",
                            {dtype::fp32, dtype::bf16, dtype::fp16}),
      choice_setting("parts", &r::parts, "bf16 numbers whose sum an operand is",
                     {{"1", 1}, {"2", 2}, {"3", 3}}),
      text_setting("cut", &r::cut, "widest",
                   "Over several cores: the label that is cut, or the widest")};
  kernels::catalog_entry entry =
      all.entry("contraction", "sums of products of several tensors, all steps in one program",
                [](const r& request, const engine::machine_spec& machine) {
                  return kernels::contraction_kernel(request.problem(), machine, request);
                });
  entry.time_on_cores =
      all.reading([](const r& request, int cores, const engine::machine_spec& machine,
                     const engine::runtime_spec& runtime, const engine::group_options& group) {
        const contraction_problem problem = request.problem();
        const int label = request.cut == "widest" ? kernels::widest_label(problem, cores)
                                                  : label_in(request.subscripts, request.cut);
        return kernels::time_sharded_contraction(problem, label, cores, machine, runtime, group,
                                                 request);
      });
  return entry;
}

}  // namespace papilio::kernels_detail
