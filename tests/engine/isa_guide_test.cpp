// docs/isa.md in step with the library: a section for each instruction, and the table's numbers.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "papilio/engine/core.hpp"
#include "papilio/engine/instruction_text.hpp"
#include "papilio/engine/isa/rules.hpp"
#include "papilio/engine/kernel.hpp"

namespace papilio::engine::test {
namespace {

template <std::size_t... Index>
std::vector<std::string> opcodes_of(std::index_sequence<Index...>) {
  return {std::variant_alternative_t<Index, instruction>::opcode...};
}

std::vector<std::string> all_opcodes() {
  return opcodes_of(std::make_index_sequence<std::variant_size_v<instruction>>());
}

std::string guide() {
  std::ifstream file(PAPILIO_ISA_GUIDE, std::ios::binary);
  EXPECT_TRUE(file.good()) << PAPILIO_ISA_GUIDE;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// Rows of the table of costs: instruction, engine, formula, source, cycles, nanoseconds.
std::vector<std::vector<std::string>> table() {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& line : lines_of(guide())) {
    if (line.rfind("| [", 0) != 0) continue;
    std::istringstream cells(line.substr(1));
    std::vector<std::string> row;
    for (std::string cell; std::getline(cells, cell, '|');) row.push_back(trimmed(cell));
    EXPECT_EQ(row.size(), 6u) << line;
    row.resize(6);
    const std::string name = row[0].substr(1, row[0].find(']') - 1);
    EXPECT_EQ(row[0], "[" + name + "](#" + name + ")");
    row[0] = name;
    rows.push_back(row);
  }
  return rows;
}

TEST(isa_guide, has_a_section_for_each_instruction_and_no_other) {
  const std::vector<std::string> opcodes = all_opcodes();
  std::vector<std::string> sections;
  for (const std::string& line : lines_of(guide()))
    if (line.rfind("### ", 0) == 0) sections.push_back(line.substr(4));
  EXPECT_TRUE(std::ranges::is_sorted(sections));
  EXPECT_EQ(std::set(sections.begin(), sections.end()), std::set(opcodes.begin(), opcodes.end()));
  EXPECT_EQ(sections.size(), opcodes.size());
}

TEST(isa_guide, sections_say_operands_refusals_and_cost) {
  std::string section;
  std::map<std::string, std::string> said;
  for (const std::string& line : lines_of(guide())) {
    if (line.rfind("##", 0) == 0) section = line.rfind("### ", 0) == 0 ? line.substr(4) : "";
    if (!section.empty()) said[section] += line + "\n";
  }
  for (const auto& [name, text] : said)
    for (const char* const what : {"- **operands**: ", "- **refused**: ", "- **cost**: "})
      EXPECT_NE(text.find(what), std::string::npos) << name << " lacks " << what;
}

/// What a field is, as the guide's table says it: "out: write", "op = add".
std::string line_of(const described_field& f) {
  const field_rules& rules = f.what.rules;
  std::string text = std::string("`") + f.what.name + "`";
  if (f.what.does == role::setting) {
    if (!f.preset.empty()) text += " = " + f.preset;
    if (std::isfinite(rules.least)) text += ", from " + std::to_string(std::int64_t(rules.least));
    if (std::isfinite(rules.most)) text += " to " + std::to_string(std::int64_t(rules.most));
    return text;
  }
  text += std::string(": ") + to_string(f.what.does);
  if (f.type != "tile") text += " " + f.type;
  if (rules.optional) text += ", optional";
  if (rules.memory != residence::anywhere)
    text += rules.memory == residence::sbuf ? ", in SBUF" : ", in PSUM";
  static constexpr const char* kinds[] = {"",        ", floating", ", integer",
                                          ", int32", ", fp32",     ", packed"};
  text += kinds[std::size_t(rules.elements)];
  const std::pair<const char*, const char*> others[] = {{", like ", rules.like},
                                                        {", rows of ", rules.rows_of},
                                                        {", columns of ", rules.columns_of},
                                                        {", type of ", rules.type_of},
                                                        {", scales of ", rules.scales_of},
                                                        {", it or SBUF: ", rules.one_in_sbuf}};
  if (rules.rows > 0) text += ", rows " + std::to_string(rules.rows);
  if (rules.columns > 0) text += ", columns " + std::to_string(rules.columns);
  for (const auto& [what, name] : others)
    if (name != nullptr) text += what + std::string(name);
  return text;
}

std::string fields_row(const described_instruction& i) {
  std::string operands, settings;
  for (const described_field& f : i.fields) {
    std::string& to = f.what.does == role::setting ? settings : operands;
    to += (to.empty() ? "" : "; ") + line_of(f);
  }
  return "| " + i.name + " | " + operands + " | " + settings + " |";
}

// PAPILIO_UPDATE_GOLDEN=1 writes the table anew.
TEST(isa_guide, lists_the_fields_of_every_instruction) {
  const std::string begin = "| instruction | operands | settings |\n|---|---|---|\n";
  const std::string text = guide();
  std::string expected = begin;
  for (const std::string& name : instruction_names())
    expected += fields_row(describe_instruction(name)) + "\n";
  const std::size_t first = text.find(begin);
  ASSERT_NE(first, std::string::npos);
  const std::size_t end = text.find("\n\n", first) + 1;
  if (std::getenv("PAPILIO_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(PAPILIO_ISA_GUIDE, std::ios::binary)
        << text.substr(0, first) << expected << text.substr(end);
    return;
  }
  EXPECT_EQ(text.substr(first, end - first), expected) << "PAPILIO_UPDATE_GOLDEN=1 writes it";
}

/// "v2", "v2, v3" or "all".
std::string cores_of(const isa_rule_row& row) {
  if (row.is_of(2) && row.is_of(3) && row.is_of(9)) return "all";
  std::string cores;
  for (const int generation : {2, 3, 4})
    if (row.is_of(generation)) cores += (cores.empty() ? "v" : ", v") + std::to_string(generation);
  return cores;
}

TEST(isa_guide, lists_the_vendor_s_rules_and_no_others) {
  std::vector<std::string> expected, listed;
  for (const isa_rule_row& row : isa_rules())
    expected.push_back(std::string("| ") + row.instruction + " | " + row.operand + " | " +
                       to_string(row) + " | " + cores_of(row) + " | " + row.source + " |");
  bool is_within = false;
  for (const std::string& line : lines_of(guide())) {
    if (line.rfind("## ", 0) == 0) is_within = line == "## Rules of the vendor";
    if (is_within && line.rfind("| ", 0) == 0) listed.push_back(line);
  }
  ASSERT_FALSE(listed.empty());
  listed.erase(listed.begin());  // the heading
  EXPECT_EQ(listed, expected);
}

/// Rows of the table of the vendor's instructions: theirs, and ours in words.
std::map<std::string, std::string> vendor_table() {
  std::map<std::string, std::string> rows;
  bool is_within = false;
  for (const std::string& line : lines_of(guide())) {
    if (line.rfind("## ", 0) == 0) is_within = line == "## The vendor's instructions";
    if (!is_within || line.rfind("| ", 0) != 0 || line.rfind("| vendor", 0) == 0) continue;
    const std::size_t second = line.find(" | ");
    EXPECT_TRUE(
        rows.emplace(line.substr(2, second - 2), line.substr(second + 3, line.size() - second - 5))
            .second)
        << line;
  }
  return rows;
}

TEST(isa_guide, tells_of_each_instruction_of_the_vendor_what_is_here_or_that_it_is_missing) {
  std::ifstream file(PAPILIO_VENDOR_INSTRUCTIONS, std::ios::binary);
  ASSERT_TRUE(file.good()) << PAPILIO_VENDOR_INSTRUCTIONS;
  const std::map<std::string, std::string> rows = vendor_table();
  std::set<std::string> listed;
  for (std::string name; std::getline(file, name);)
    if (!name.empty() && name[0] != '#') listed.insert(name);
  std::set<std::string> told;
  for (const auto& [name, here] : rows) told.insert(name);
  EXPECT_EQ(told, listed);
  const std::vector<std::string> opcodes = all_opcodes();
  std::set<std::string> known(opcodes.begin(), opcodes.end());
  known.insert("core::make_register");
  for (const auto& [name, here] : rows) {
    if (here.rfind("missing: ", 0) == 0) {
      EXPECT_FALSE(known.contains(name)) << name << " is here";
      continue;
    }
    ASSERT_EQ(here[0], '`') << name << ": " << here;
    const std::string ours = here.substr(1, here.find('`', 1) - 1);
    EXPECT_TRUE(known.contains(ours)) << name << ": " << ours;
  }
}

/// What the table's numbers are of: 128 partitions, 512 elements, fp32 in SBUF.
class samples {
 public:
  const std::vector<instruction>& all() const { return all_; }
  core& nc() { return nc_; }

 private:
  tile_view make(int partitions, std::int64_t columns, dtype type = dtype::fp32) {
    tiles_.push_back(nc_.sbuf(partitions, columns, type));
    return tiles_.back();
  }

  core nc_{trainium1(), {.mode = run_mode::dry_run, .strict = false}};
  std::vector<tile> tiles_;
  tile_view x_ = make(128, 512), y_ = make(128, 512), z_ = make(128, 512), one_ = make(128, 1),
            eight_ = make(128, 8), ranks_ = make(128, 8, dtype::int32),
            predicate_ = make(128, 512, dtype::uint8), word_ = make(1, 1, dtype::int32),
            indices_ = make(128, 32, dtype::int32), rows_ = make(128, 1, dtype::int32),
            packed_ = make(128, 512, dtype::fp8_e4m3fn_x4),
            packed_square_ = make(128, 128, dtype::fp8_e4m3fn_x4),
            scales_ = make(128, 512, dtype::uint8).partition_range(0, 100),
            halves_ = make(128, 2048, dtype::bf16), wide_ranks_ = make(128, 512, dtype::int32),
            square_ = make(128, 128), transposed_ = make(128, 128), bounds_ = make(128, 1024);
  tile bank_ = nc_.psum(128, 512);
  hbm_view tensor_ = nc_.hbm({128, 512});
  engine_register register_ = nc_.make_register(unit::vector),
                  other_ = nc_.make_register(unit::vector);
  semaphore semaphore_ = nc_.make_semaphore();
  affine_pattern pattern_{.levels = {pattern_dim{512, 1}, {}, {}, {}}};
  std::array<std::uint8_t, 32> mask_{};

  std::vector<instruction> all_ = {
      activation{.out = x_, .in = y_},
      activation_reduce{.out = x_, .reduced = one_, .in = y_},
      activate2{.out = x_, .in = y_},
      affine_select{.out = x_, .in = y_, .pattern = pattern_},
      bn_aggr{.out = eight_.columns(0, 2), .in = x_.columns(0, 510)},
      bn_stats{.out = eight_.columns(0, 6), .in = x_},
      collective{.kind = collective_kind::all_reduce, .cores = 2, .bytes = 1 << 20},
      core_barrier{.cores = 2},
      dma_compute{.out = x_, .left = x_, .right = tensor_},
      dma_copy{.out = x_, .in = tensor_},
      dma_gather{.out = x_, .in = tensor_, .indices = rows_},
      dma_transpose{.out = transposed_, .in = tensor_.slice(1, 0, 128)},
      dropout{.out = x_, .in = y_},
      exponential{.out = x_, .in = y_},
      find_index8{.out = ranks_, .in = x_, .values = eight_},
      iota{.out = x_, .pattern = pattern_},
      local_gather{.out = x_, .in = y_, .indices = indices_},
      match_replace8{.out = x_, .in = y_, .values = eight_},
      matmul{.out = bank_, .stationary = square_, .moving = x_},
      matmul_mx{.out = bank_,
                .stationary = packed_square_,
                .stationary_scales = scales_.columns(0, 128),
                .moving = packed_,
                .moving_scales = scales_},
      max8{.out = eight_, .in = x_},
      memset{.out = x_},
      n_gather{.out = x_, .in = y_, .indices = wide_ranks_},
      partition_reduce{.out = y_.partition_range(0, 1), .in = x_},
      quantize_mx{.out = packed_, .scales = scales_, .in = halves_},
      range_select{.out = x_, .in = y_},
      reciprocal{.out = x_, .in = y_},
      register_load{.out = register_, .in = word_},
      register_move{.out = register_, .value = 1},
      register_store{.out = word_, .in = register_},
      scalar_tensor_tensor{.out = x_, .in = y_, .right = z_},
      select{.out = x_, .predicate = predicate_, .on_true = y_, .on_false = z_},
      select_reduce{.out = x_, .reduced = one_, .predicate = predicate_, .on_true = y_},
      semaphore_signal{.which = semaphore_},
      semaphore_wait{.which = semaphore_},
      send_receive{.out = x_, .in = y_},
      sequence_bounds{.out = bounds_, .in = x_},
      stream_shuffle{.out = x_, .in = y_, .mask = mask_},
      tensor_copy{.out = x_, .in = y_},
      tensor_copy_dynamic{.out = y_.columns(0, 256), .in = x_, .offset = register_},
      tensor_copy_predicated{.out = x_, .in = y_, .predicate = predicate_},
      tensor_reduce{.out = one_, .in = x_},
      tensor_scalar{.out = x_, .in = y_},
      tensor_scalar_cumulative{.out = x_, .in = y_},
      tensor_scalar_reduce{.out = x_, .reduced = one_, .in = y_},
      tensor_tensor{.out = x_, .left = y_, .right = z_},
      tensor_tensor_scan{.out = x_, .left = y_, .right = z_},
      topk{.values = eight_, .indices = ranks_, .in = x_},
      transpose{.out = bank_->columns(0, 128), .in = square_},
      transpose{.out = transposed_.columns(0, 32).partition_range(0, 32),
                .in = square_.columns(0, 32).partition_range(0, 32),
                .on = unit::vector}};
};

std::string unit_of(const instruction& i) {
  return std::visit([](const auto& one) { return std::string(to_string(one.runs_on())); }, i);
}

/// Whether the first engine that the cell names is the sample's; "any ..." is every one.
bool names_first(const std::string& cell, const std::string& engine) {
  return cell.rfind("any", 0) == 0 || cell.substr(0, cell.find(',')) == engine;
}

TEST(isa_guide, tells_the_costs_that_the_library_has) {
  samples s;
  std::vector<std::vector<std::string>> rows = table();
  for (const instruction& i : s.all()) {
    const std::string name = opcode(i), engine = unit_of(i);
    const auto row = std::ranges::find_if(
        rows, [&](const auto& r) { return r[0] == name && names_first(r[1], engine); });
    ASSERT_NE(row, rows.end()) << name << " on " << engine << " is not in the table";
    if ((*row)[4] == "refused") {
      EXPECT_THROW(s.nc().issue(i), kernel_error) << name;
    } else {
      EXPECT_NO_THROW(s.nc().issue(i)) << name;
      EXPECT_EQ(std::stod((*row)[4]), documented_cycles(i, s.nc().machine())) << name;
      EXPECT_EQ(std::stod((*row)[5]), std::round(cost_ns(i, s.nc().machine()))) << name;
    }
    rows.erase(row);
  }
  for (const auto& row : rows) ADD_FAILURE() << row[0] << " on " << row[1] << " has no sample";
}

}  // namespace
}  // namespace papilio::engine::test
