#include "papilio/base/error.hpp"
#include "papilio/contract/path.hpp"

namespace papilio {

const char* to_string(path_search search) {
  switch (search) {
    case path_search::automatic:
      return "auto";
    case path_search::optimal:
      return "optimal";
    case path_search::greedy:
      return "greedy";
    case path_search::random_greedy:
      break;
  }
  return "random_greedy";
}

path_search path_search_of(const std::string& word) {
  for (const path_search search : {path_search::automatic, path_search::optimal,
                                   path_search::greedy, path_search::random_greedy})
    if (word == to_string(search)) return search;
  throw invalid_argument(base_detail::message(
      "path_search_of: there are auto, optimal, greedy and random_greedy, got \"", word, "\""));
}

}  // namespace papilio
