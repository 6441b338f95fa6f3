#include "papilio/kernels/sized_kernel.hpp"

#include <utility>

#include "kernels/choice.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/dtype.hpp"

namespace papilio::kernels {
namespace {

using base_detail::message;
using namespace engine;

device_buffer uploaded(device& on, const constant_table& table) {
  const auto count = static_cast<std::size_t>(table.shape.elements());
  array<float, 1> values({count});
  table.fill({values.data(), count});
  array<std::byte, 1> bytes(static_cast<std::size_t>(table.shape.bytes()), uninitialized);
  store_row(table.shape.type, values.data(), count, bytes.data(), 1);
  return on.upload(
      launch_input(std::span<const std::byte>(bytes.data(), bytes.size()), table.shape));
}

template <class Operand>
void require_shapes(const std::string& kernel, const char* role, const std::vector<Operand>& given,
                    const std::vector<tensor_shape>& wanted) {
  if (given.size() != wanted.size())
    throw invalid_argument(
        message(kernel, ": takes ", wanted.size(), " ", role, "s, got ", given.size()));
  for (std::size_t i = 0; i < given.size(); ++i)
    if (given[i].shape() != wanted[i])
      throw shape_error(message(kernel, ": ", role, " ", i, " must be ", wanted[i].describe(),
                                ", got ", given[i].shape().describe()));
}

}  // namespace

std::int64_t sized_kernel::table_bytes() const {
  std::int64_t bytes = 0;
  for (const constant_table& table : tables) bytes += table.shape.bytes();
  return bytes;
}

std::string sized_kernel::recipe() const {
  std::string text = design.explain();
  if (!chosen_as.empty()) text += (text.ends_with('\n') ? "" : ": ") + chosen_as + "\n";
  return text;
}

std::string sized_kernel::comparison() const {
  std::string text;
  for (const compared_design& c : compared)
    text +=
        message(text.empty() ? "compared in dry runs:\n" : "", "  ", c.text, ": ",
                kernels_detail::time_text(c.seconds), c.bound.empty() ? "" : ", ", c.bound, "\n");
  return text;
}

std::string sized_kernel::explain() const {
  std::string text = recipe();
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += comparison();
  if (!tables.empty())
    text += message("resident tables: ", tables.size(), ", ", table_bytes(), " bytes\n");
  if (expected_error > 0)
    text +=
        message("expected relative error (Euclidean norm, random input): ", expected_error, "\n");
  return text;
}

prepared_kernel::prepared_kernel(device& on, sized_kernel what, run_mode mode)
    : on_(&on), what_(std::move(what)), mode_(mode) {
  if (what_.machine && *what_.machine != on.machine())
    throw device_error(message("prepared_kernel: ", what_.program.name, " was designed for ",
                               what_.machine->name, ", the device is ",
                               what_.machine->name == on.machine().name ? "another " : "",
                               on.machine().name));
  for (const constant_table& table : what_.tables)
    tables_.push_back(mode == run_mode::dry_run ? on.upload(launch_input(table.shape))
                                                : uploaded(on, table));
}

std::vector<launch_input> prepared_kernel::operands(
    const std::vector<launch_input>& inputs, const std::vector<launch_output>& outputs) const {
  require_shapes(what_.program.name, "input", inputs, what_.inputs);
  require_shapes(what_.program.name, "output", outputs, what_.outputs);
  std::vector<launch_input> all = inputs;
  all.insert(all.end(), tables_.begin(), tables_.end());
  return all;
}

launch_result prepared_kernel::launch(const std::vector<launch_input>& inputs,
                                      const std::vector<launch_output>& outputs) const {
  return on_->launch(what_.program, operands(inputs, outputs), outputs, mode_);
}

void prepared_kernel::capture(graph& into, const std::vector<launch_input>& inputs,
                              const std::vector<launch_output>& outputs) const {
  into.launch(what_.program, operands(inputs, outputs), outputs);
}

}  // namespace papilio::kernels
