// What batch notes in OUT/.papilio-batch.
#include "cli/batch_ledger.hpp"

#include "fuzz/input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace papilio;
  const std::filesystem::path made = test::write_input("made\t.csv", "1\n");
  const auto stamp = cli::batch_ledger::stamp_of_input(made);
  test::write_input(".papilio-batch", test::text_of(data, size));
  cli::batch_ledger(test::input_folder(), "settings", "").add(stamp, {made});
  // Each part of a run reads the ledgers of all.
  const cli::batch_ledger again(test::input_folder(), "settings", "-1-of-2");
  // Bytes that are no ledger at all are not read to their end.
  if (size < 60'000)
    test::require(again.holds(stamp, {made}), "what is noted is read, whatever stood before it");
  test::require(!again.holds(stamp, {made, made}), "what was not made is not held");
  return 0;
}
