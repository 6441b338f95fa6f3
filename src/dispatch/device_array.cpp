#include "papilio/dispatch/device_array.hpp"

#include <mutex>

#include "dispatch/program_store.hpp"

namespace papilio::dispatch_detail {

shared_tensor uploaded(accelerator& on, const operand_shape& shape,
                       const untyped_view<const void>& from) {
  for (const std::size_t e : shape.extents)
    if (e == 0) throw invalid_argument("to_device: every extent must be at least 1, got 0");
  const std::lock_guard lock(on.programs().mutex());
  const device_backend& backend = backend_of("to_device", on);
  shared_tensor to = new_tensor(on, shape, "to_device");
  run_record record = backend.upload(*to, from);
  record.operation = "to_device";
  record_run(std::move(record));
  return to;
}

void downloaded(device_tensor& from, const untyped_view<void>& to) {
  accelerator& on = from.on("to_host");
  const std::lock_guard lock(on.programs().mutex());
  run_record record = backend_of("to_host", on).download(from, to);
  record.operation = "to_host";
  record_run(std::move(record));
}

pending_run begin_download(device_tensor& from, const untyped_view<void>& to) {
  constexpr const char* function = "to_host_async";
  accelerator& on = from.on(function);
  const std::lock_guard lock(on.programs().mutex());
  if (on.programs().capturing != nullptr)
    throw invalid_argument(base_detail::message(
        function, ": inside capture() nothing begins: to_host makes the copy a part of the graph"));
  return pending_run(backend_of(function, on).begin_download(from, to), on, function);
}

}  // namespace papilio::dispatch_detail
