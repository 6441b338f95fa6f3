#include "papilio/dispatch/device_program.hpp"

#include "dispatch/program_store.hpp"
#include "dispatch/sides.hpp"
#include "papilio/base/error.hpp"

namespace papilio {

using base_detail::message;
using dispatch_detail::program_store;

device_tensor::device_tensor(accelerator& on, operand_shape shape)
    : on_(&on), life_(on.life()), shape_(std::move(shape)) {}
device_tensor::~device_tensor() = default;
device_program::~device_program() = default;
captured_runs::~captured_runs() = default;
run_under_way::~run_under_way() = default;

accelerator& device_tensor::on(const char* function) const {
  if (life_.expired())
    throw device_error(
        message(function, ": the accelerator on which the device array lay is gone"));
  return *on_;
}

const device_backend& backend_of(const char* function, const accelerator& on) {
  if (const device_backend* const backend = on.operations()) return *backend;
  throw device_error(message(function, ": the accelerator ", on.name(), " runs no operations"));
}

std::shared_ptr<const device_program> program_on(const char* function, accelerator& on,
                                                 const operation& what,
                                                 const precision_options& precision) {
  const device_backend& backend = backend_of(function, on);
  return on.programs().program({what, precision}, [&] {
    require_valid(function, what);
    if (const std::string why = backend.refusal(what, precision, on); !why.empty())
      throw device_error(message(function, ": the accelerator ", on.name(), " cannot do ",
                                 to_string(what), ": ", why));
    try {
      return backend.build(what, precision, on);
    } catch (const device_error& e) {
      throw device_error(message(function, ": ", e.what()));
    } catch (const resource_error& e) {
      throw resource_error(message(function, ": ", e.what()));
    }
  });
}

namespace {

template <class Operands>
void require_on(const char* function, const accelerator& on, const Operands& operands) {
  for (const auto& o : operands)
    if (o.tensor != nullptr && &o.tensor->on(function) != &on)
      throw invalid_argument(message(function, ": operands lie on two accelerators, ", on.name(),
                                     " and ", o.tensor->on(function).name()));
}

}  // namespace

void run_on(const char* function, accelerator& on, const operation& what,
            const precision_options& precision, std::span<const device_input> in,
            std::span<const device_output> out) {
  require_on(function, on, in);
  require_on(function, on, out);
  const std::lock_guard lock(on.programs().mutex());
  const auto program = program_on(function, on, what, precision);
  run_record record = program->run(function, in, out);
  record.operation = to_string(what);
  dispatch_detail::record_run(std::move(record));
}

shared_tensor new_tensor(accelerator& on, const operand_shape& shape, const char* function) {
  const std::lock_guard lock(on.programs().mutex());
  const device_backend& backend = backend_of(function, on);
  try {
    return backend.allocate(on, shape);
  } catch (const device_error& e) {
    throw device_error(message(function, ": ", e.what()));
  }
}

std::vector<shared_tensor> run_to_new(const char* function, accelerator& on, const operation& what,
                                      const precision_options& precision,
                                      const std::vector<device_input>& in,
                                      const std::vector<operand_shape>& results) {
  std::vector<shared_tensor> made;
  for (const operand_shape& shape : results) made.push_back(new_tensor(on, shape, function));
  const std::vector<device_output> out(made.begin(), made.end());
  run_on(function, on, what, precision, in, out);
  return made;
}

kept_operations kept_on(const accelerator& on) { return on.programs().kept(); }

}  // namespace papilio
