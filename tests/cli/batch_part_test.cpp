// Processes that share a folder: each file is done once, and none writes what another does.
#include <future>

#include "cli/batch_program.hpp"

namespace papilio::test {
namespace {

using list = std::vector<std::string>;

class batch_part : public batch_program {
 protected:
  // As if started with these variables, such as "PMI_RANK=0".
  child_result started_with(list variables, list flags) const {
    variables.insert(variables.begin(), {"/usr/bin/env", "-u", "OMPI_COMM_WORLD_RANK", "-u",
                                         "PMI_RANK", "-u", "SLURM_PROCID", "-u", "SLURM_JOB_ID"});
    variables.insert(variables.end(), {program_path(), "batch", "in", "--out", "out", "--json"});
    variables.insert(variables.end(), flags.begin(), flags.end());
    return run_child(variables, {.directory = directory.path()});
  }

  // Files that a report says were done, or skipped, or failed.
  static list files_of(const nlohmann::json& report, const std::string& status) {
    list files;
    for (const auto& file : report["files"])
      if (file["status"] == status) files.push_back(file["file"]);
    return files;
  }
};

TEST_F(batch_part, two_processes_do_each_file_once) {
  make_mixed_folder();
  for (int i = 0; i < 6; ++i) write_sine("in/more" + std::to_string(i) + ".wav", 4000);
  for (const list& what :
       {list{"--what", "features"}, list{"--what", "spectrogram", "--format", "png,npy"}}) {
    SCOPED_TRACE(what[1]);
    list alone = {"batch", "in", "--out", "whole", "-r"};
    alone.insert(alone.end(), what.begin(), what.end());
    ASSERT_EQ(run(alone).exit_code, 1);  // three files are no sounds
    list flags = what;
    flags.insert(flags.end(), {"-r", "--resume", "--parts-from-environment"});
    std::vector<std::future<child_result>> both;
    for (const char* rank : {"0", "1"})
      both.push_back(std::async(std::launch::async, [&, rank] {
        return started_with({std::string("PMI_RANK=") + rank, "PMI_SIZE=2"}, flags);
      }));
    std::map<std::string, int> times;
    for (std::size_t i = 0; i < 2; ++i) {
      const child_result result = both[i].get();
      const auto json = nlohmann::json::parse(result.output);
      EXPECT_EQ(json["part"], i + 1);
      EXPECT_EQ(json["parts"], 2);
      EXPECT_EQ(json["found"], 14);
      EXPECT_EQ(json["files"].size(), 7u);
      EXPECT_EQ(json["skipped"], 0);
      for (const auto& file : json["files"]) ++times[file["file"]];
    }
    EXPECT_EQ(times.size(), 14u);
    for (const auto& [file, count] : times) EXPECT_EQ(count, 1) << file;
    EXPECT_TRUE(tree("out") == tree("whole"));
    // One process after them knows what each of them did, and so do three.
    list rest = what;
    rest.insert(rest.end(), {"-r", "--resume"});
    EXPECT_EQ(report(rest, 1)["skipped"], 11);
    rest.insert(rest.end(), {"--part", "3/3"});
    EXPECT_EQ(report(rest, 1)["done"], 0);
    fs::remove_all(path("out"));
    fs::remove_all(path("whole"));
  }
}

TEST_F(batch_part, every_starter_says_which_part) {
  make_folders({"in"});
  for (const char* name : {"a", "b", "c", "d", "e"})
    write_sine(std::string("in/") + name + ".wav", 3000);
  const std::pair<list, list> starters[] = {
      {{"OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE=3"}, {"b.wav", "e.wav"}},
      {{"PMI_RANK=0", "PMI_SIZE=3"}, {"a.wav", "d.wav"}},
      {{"SLURM_PROCID=2", "SLURM_NTASKS=3"}, {"c.wav"}},
      {{"SLURM_PROCID=2", "SLURM_NTASKS=3", "SLURM_JOB_ID=7", "SLURM_STEP_ID=0"}, {"c.wav"}},
      {{"SLURM_PROCID=0", "SLURM_NTASKS=1", "SLURM_JOB_ID=7", "OMPI_COMM_WORLD_RANK=3",
        "OMPI_COMM_WORLD_SIZE=4"},
       {"d.wav"}},
      {{"PMI_RANK=7", "PMI_SIZE=9"}, {}}};
  for (const auto& [variables, files] : starters) {
    SCOPED_TRACE(testing::PrintToString(variables));
    const child_result result =
        started_with(variables, {"--what", "psd", "--parts-from-environment"});
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(files_of(nlohmann::json::parse(result.output), "done"), files);
  }
  EXPECT_EQ(files_of(report({"--what", "psd", "--part", "2/2"}), "done"), (list{"b.wav", "d.wav"}));
  const child_result told = batch({"--what", "psd", "--part", "1/4"});
  EXPECT_NE(told.output.find("part      1 of 4: 2 of 5 files\n"), std::string::npos) << told.output;
}

TEST_F(batch_part, bad_parts_name_flag_bound_and_value) {
  make_folders({"in"});
  write_sine("in/a.wav", 3000);
  for (const char* bad : {"0/2", "3/2", "1", "1/2/3", "1/0", "-1/2", "a/b", "", "1/", "/2", "1 /2",
                          "1/1000001", "1/99999999999999999999"}) {
    SCOPED_TRACE(bad);
    const child_result result = batch({"--what", "psd", "--part", bad});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.errors.find("--part"), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find("1 <= K <= N <= 1000000, got " + std::string(bad)),
              std::string::npos)
        << result.errors;
  }
  const std::pair<list, std::string> bad[] = {
      {{}, "none of OMPI_COMM_WORLD_RANK, PMI_RANK and SLURM_PROCID is set"},
      {{"PMI_RANK=0", "PMI_SIZE="}, "PMI_SIZE must be a whole number in [1, 1000000], got "},
      {{"PMI_RANK=2", "PMI_SIZE=2"}, "PMI_RANK must be a whole number in [0, 1], got 2"},
      {{"OMPI_COMM_WORLD_RANK=0", "-u", "OMPI_COMM_WORLD_SIZE"}, "OMPI_COMM_WORLD_SIZE is not set"},
      {{"SLURM_PROCID=0", "SLURM_NTASKS=4", "SLURM_JOB_ID=7", "-u", "SLURM_STEP_ID"},
       "SLURM's batch script itself, which runs once and not 4 times"}};
  for (const auto& [variables, reason] : bad) {
    SCOPED_TRACE(testing::PrintToString(variables));
    // env takes -u before the variables only.
    list sorted = variables;
    std::stable_partition(sorted.begin(), sorted.end(), [](const std::string& word) {
      return word.find('=') == std::string::npos;
    });
    const child_result result = started_with(sorted, {"--what", "psd", "--parts-from-environment"});
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_NE((result.output + result.errors).find(reason), std::string::npos) << result.errors;
  }
  EXPECT_EQ(batch({"--what", "psd", "--part", "1/2", "--parts-from-environment"}).exit_code, 2);
  EXPECT_FALSE(fs::exists(path("out")));
}

// A ledger of another process is read like one's own: what is none costs only the resume.
TEST_F(batch_part, ledgers_of_others_may_be_anything) {
  make_folders({"in", "out/.papilio-batch-2-of-2"});
  write_sine("in/a.wav", 3000);
  write_sine("in/b.wav", 3000);
  write("out/.papilio-batch-9-of-9", std::string(100'000, 'x') + "\n\t\t\n");
  EXPECT_EQ(report({"--what", "psd", "--part", "1/2"})["done"], 1);
  const child_result again = batch({"--what", "psd", "--resume"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_NE(again.errors.find(".papilio-batch-2-of-2: is not a regular file"), std::string::npos)
      << again.errors;
  EXPECT_NE(again.output.find("skipped   1 output, as they were made"), std::string::npos)
      << again.output;
}

}  // namespace
}  // namespace papilio::test
