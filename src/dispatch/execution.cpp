#include "papilio/dispatch/execution.hpp"

#include "papilio/base/error.hpp"

namespace papilio {

const char* to_string(policy p) {
  switch (p) {
    case policy::host:
      return "host";
    case policy::device:
      return "device";
    case policy::automatic:
      return "automatic";
  }
  return "";
}

policy policy_of(const std::string& word, const std::string& what) {
  for (const policy p : {policy::host, policy::device, policy::automatic})
    if (word == to_string(p)) return p;
  throw invalid_argument(
      base_detail::message(what, " must be host, device or automatic, got \"", word, "\""));
}

}  // namespace papilio
