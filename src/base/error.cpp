#include "papilio/base/error.hpp"

namespace papilio {

// Out of line, so that each type's vtable and type_info live in the library alone and a catch
// clause matches across shared-library borders.
error::~error() = default;
invalid_argument::~invalid_argument() = default;
shape_error::~shape_error() = default;
io_error::~io_error() = default;
device_error::~device_error() = default;
resource_error::~resource_error() = default;

}  // namespace papilio
