#include "papilio/base/vocabulary.hpp"

namespace papilio {

std::size_t size_of(real_type type) {
  return type == real_type::single_precision   ? sizeof(float)
         : type == real_type::double_precision ? sizeof(double)
                                               : sizeof(long double);
}

const char* to_string(real_type type) {
  switch (type) {
    case real_type::single_precision:
      return "float";
    case real_type::double_precision:
      return "double";
    case real_type::extended_precision:
      return "long double";
  }
  return "";
}

}  // namespace papilio
