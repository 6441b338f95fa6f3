#include <cstdio>
#include <papilio/papilio.hpp>

int main() {
  papilio::array<double, 2> table({3, 4});
  papilio::parallel_for(table.extent(0), 2, [&](std::size_t i) { table(i, i) = 1.0; });
  try {
    papilio::thread_count(-1);
  } catch (const papilio::invalid_argument& e) {
    std::printf("papilio %s: caught \"%s\"\n", PAPILIO_VERSION, e.what());
    return table(2, 2) == 1.0 ? 0 : 1;
  }
  return 1;
}
