#include "engine/observer.hpp"

#include <utility>

#include "engine/core_state.hpp"
#include "engine/storage.hpp"

namespace papilio::engine_detail {

void observe(engine::core& core, observer see) { core.state().see = std::move(see); }

std::int64_t tile_address_bytes(const engine::tile_view& view) {
  return view.storage()->address_bytes;
}

}  // namespace papilio::engine_detail
