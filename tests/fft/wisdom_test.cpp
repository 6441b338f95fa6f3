#include "papilio/fft/wisdom.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "fft/wisdom_text.hpp"
#include "papilio/base.hpp"
#include "papilio/version.hpp"
#include "support/temporary_directory.hpp"

namespace papilio {
namespace {

using test::wisdom_end;
using test::wisdom_header;
using test::wisdom_of;

constexpr fft_options measure{.plan_effort = effort::measure};

class wisdom : public testing::Test {
 protected:
  void SetUp() override { forget_wisdom(); }
  void TearDown() override { forget_wisdom(); }

  static std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  static void write(const std::filesystem::path& path, std::string_view text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  // What load_wisdom says about a file of that text, less the file's name; "none" if it loads.
  std::string complaint(std::string_view text) {
    const auto path = directory_ / "damaged.txt";
    write(path, text);
    const std::string before = export_wisdom();
    try {
      load_wisdom(path);
    } catch (const io_error& e) {
      EXPECT_EQ(e.path(), path.string());
      EXPECT_EQ(export_wisdom(), before) << "something was taken from a refused file";
      const std::string message = e.what();
      EXPECT_TRUE(message.starts_with(path.string() + ": ")) << message;
      return message.substr(path.string().size() + 2);
    }
    return "none";
  }

  test::temporary_directory directory_;
};

const std::vector<std::string> three_entries{
    "complex float 64 (stockham 64 2 2 2 2 2 2)", "complex double 64 (stockham 64 4 4 4)",
    "complex long-double 73 (bluestein 73 (stockham 160 5 16 2))"};

TEST_F(wisdom, is_taken_by_plans_of_effort_measure_only) {
  import_wisdom(wisdom_of(three_entries));
  EXPECT_EQ(to_string(fft_plan<float>(64, direction::forward, measure).design()),
            "(stockham 64 2 2 2 2 2 2)");
  EXPECT_EQ(to_string(fft_plan<float>(64, direction::inverse, measure).design()),
            "(stockham 64 2 2 2 2 2 2)");
  EXPECT_EQ(to_string(fft_plan<double>(64, direction::forward, measure).design()),
            "(stockham 64 4 4 4)");
  EXPECT_EQ(to_string(fft_plan<long double>(73, direction::forward, measure).design()),
            "(bluestein 73 (stockham 160 5 16 2))");
  EXPECT_EQ(to_string(rfft_plan<float>(128, measure).design()),
            "(real 128 (stockham 64 2 2 2 2 2 2))");
  EXPECT_NE(to_string(fft_plan<float>(64).design()), "(stockham 64 2 2 2 2 2 2)");
}

TEST_F(wisdom, remembers_what_was_measured) {
  EXPECT_EQ(export_wisdom(), wisdom_of({}));
  const recipe single = fft_plan<float>(480, direction::forward, measure).design();
  const recipe twice = rfft_plan<double>(2200, measure).design();
  fft_plan<float>(100);
  EXPECT_EQ(export_wisdom(), wisdom_of({"complex float 480 " + to_string(single),
                                        "complex double 1100 " + to_string(twice.parts[0])}));
  forget_wisdom();
  EXPECT_EQ(export_wisdom(), wisdom_of({}));
}

// They would untangle in a pass more than the estimate's.
TEST_F(wisdom, two_steps_are_for_complex_lines_alone) {
  import_wisdom(wisdom_of({"complex float 1000 (two_step 1000 8 5 5 5)"}));
  EXPECT_EQ(to_string(fft_plan<float>(1000, direction::forward, measure).design()),
            "(two_step 1000 8 5 5 5)");
  EXPECT_EQ(rfft_plan<float>(2000, measure).design(), rfft_plan<float>(2000).design());
}

TEST_F(wisdom, survives_text_and_file) {
  import_wisdom(wisdom_of(three_entries));
  const std::string text = export_wisdom();
  EXPECT_EQ(text, wisdom_of(three_entries));
  const auto path = directory_ / "wisdom.txt";
  save_wisdom(path);
  EXPECT_EQ(text_of(path), text);
  forget_wisdom();
  load_wisdom(path);
  EXPECT_EQ(export_wisdom(), text);
}

TEST_F(wisdom, what_is_imported_replaces_and_adds) {
  import_wisdom(wisdom_of(three_entries));
  import_wisdom(
      wisdom_of({"complex float 8 (stockham 8 2 4)", "complex float 64 (stockham 64 8 8)"}));
  EXPECT_EQ(export_wisdom(),
            wisdom_of({"complex float 8 (stockham 8 2 4)", "complex float 64 (stockham 64 8 8)",
                       three_entries[1], three_entries[2]}));
}

TEST_F(wisdom, saving_replaces_whole_files_and_leaves_nothing_beside) {
  const auto path = directory_ / "wisdom.txt", link = directory_ / "link.txt";
  write(path, "something else");
  std::filesystem::create_symlink("wisdom.txt", link);
  import_wisdom(wisdom_of(three_entries));
  save_wisdom(link);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(text_of(path), wisdom_of(three_entries));
  const auto files = std::filesystem::directory_iterator(directory_.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 2);

  const auto folder = directory_ / "folder";
  std::filesystem::create_directory(folder);
  EXPECT_THROW(save_wisdom(folder), io_error);
  EXPECT_THROW(save_wisdom(directory_ / "missing" / "wisdom.txt"), io_error);
  EXPECT_THROW(save_wisdom(""), io_error);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(wisdom, a_foreign_header_is_refused) {
  const std::string header = wisdom_header();
  const std::string cpu =
      header.substr(header.find("cpu="), header.size() - header.find("cpu=") - 1);
  const std::string version = std::string("version=") + PAPILIO_VERSION;
  const auto with = [](const std::string& line) {
    return line + "\n" + wisdom_end(line + "\n", 0);
  };
  EXPECT_EQ(complaint(with("papilio-wisdom format=1 " + version + " " + cpu)), "none");
  EXPECT_EQ(complaint(with("fftw-wisdom format=1 " + version + " " + cpu)),
            "line 1: expected \"papilio-wisdom\", found \"fftw-wisdom\"");
  EXPECT_EQ(complaint(with("papilio-wisdom format=2 " + version + " " + cpu)),
            "line 1: expected \"format=1\", found \"format=2\"");
  EXPECT_EQ(complaint(with("papilio-wisdom format=1 version=9.9.9 " + cpu)),
            "line 1: expected \"" + version + "\", found \"version=9.9.9\"");
  EXPECT_EQ(complaint(with("papilio-wisdom format=1 " + version + " cpu=Other-1-2-AVX9")),
            "line 1: expected \"" + cpu + "\", found \"cpu=Other-1-2-AVX9\"");
}

TEST_F(wisdom, a_bad_entry_is_refused_with_its_line) {
  const auto second = [&](const std::string& line) {
    return complaint(wisdom_of({"complex float 8 (stockham 8 8)", line}));
  };
  EXPECT_EQ(second("complex float 16 (stockham 16 4 4)"), "none");
  forget_wisdom();
  EXPECT_EQ(second("real float 16 (stockham 16 4 4)"),
            "line 3: expected complex or end, found \"real\"");
  EXPECT_EQ(second("complex half 16 (stockham 16 4 4)"),
            "line 3: expected float, double or long-double, found \"half\"");
  EXPECT_EQ(second("complex float x16 (stockham 16 4 4)"),
            "line 3: expected a length of at least 1, found \"x16\"");
  EXPECT_EQ(second("complex float 0 (stockham 16 4 4)"),
            "line 3: expected a length of at least 1, found \"0\"");
  EXPECT_EQ(second("complex float 17 (stockham 16 4 4)"),
            "line 3: expected a complex recipe of length 17, found \"(stockham 16 4 4)\"");
  EXPECT_EQ(second("complex float 16 (real 16 (stockham 8 8))"),
            "line 3: expected a complex recipe of length 16, found \"(real 16 (stockham 8 8))\"");
  EXPECT_EQ(second("complex float 16 (stockham 16 4 5)"),
            "line 3: parse_recipe: (stockham 16 4 5): the radices must multiply to n");
  EXPECT_EQ(second("complex float 16 (sandwich 16 4 4)"),
            "line 3: parse_recipe: expected the kind of a recipe at character 2, found "
            "\"sandwich 16 4 4)\"");
  EXPECT_EQ(second("complex float 8 (stockham 8 4 2)"),
            "line 3: expected one entry for each type and length, found "
            "\"complex float 8 (stockham 8 4 2)\"");
  EXPECT_EQ(second(""), "line 3: expected complex or end, found nothing");
}

TEST_F(wisdom, every_cut_and_every_flipped_bit_is_refused) {
  const std::string whole = wisdom_of(three_entries);
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(complaint(whole.substr(0, length)), "none") << length;
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = whole;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      EXPECT_NE(complaint(flipped), "none") << at << ' ' << bit;
    }
  EXPECT_EQ(complaint(""), "line 1: expected a line, found nothing");
  EXPECT_EQ(complaint(whole + "\n"), "line 6: expected the end of the text, found \"?\"");
  EXPECT_NE(complaint(whole + whole), "none");
  EXPECT_NE(complaint(std::string(1000, '\0')), "none");
}

TEST_F(wisdom, lines_lost_or_added_and_carriage_returns_are_refused) {
  const std::string whole = wisdom_of(three_entries), header = wisdom_header();
  std::string lost = whole;
  lost.erase(header.size(), three_entries[0].size() + 1);
  EXPECT_TRUE(complaint(lost).starts_with("line 4: expected \"end entries=2 ")) << complaint(lost);
  std::string windows;
  for (const char c : whole) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(complaint(windows),
            "line 1: expected a line feed alone at the end, found \"carriage return\"");
}

TEST_F(wisdom, files_that_cannot_be_read_are_refused) {
  EXPECT_THROW(load_wisdom(directory_ / "missing.txt"), io_error);
  EXPECT_THROW(load_wisdom(directory_.path()), io_error);
  EXPECT_THROW(load_wisdom(""), io_error);
  const auto large = directory_ / "large.txt";
  write(large, wisdom_header());
  std::filesystem::resize_file(large, (std::size_t{1} << 24) + 1);
  EXPECT_THROW(load_wisdom(large), io_error);

  // Root may read everything: a child without that right tries.
  const auto secret = directory_ / "secret.txt";
  save_wisdom(secret);
  std::filesystem::permissions(directory_.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(secret, std::filesystem::perms::none);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(2);
    try {
      load_wisdom(secret);
    } catch (const io_error&) {
      ::_exit(0);
    }
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(wisdom, text_is_refused_as_an_argument) {
  import_wisdom(wisdom_of(three_entries));
  try {
    import_wisdom(wisdom_of({"complex float 8 (stockham 8 8)", "complex float 9 (stockham 8 8)"}));
    FAIL() << "nothing thrown";
  } catch (const invalid_argument& e) {
    EXPECT_STREQ(e.what(),
                 "import_wisdom: line 3: expected a complex recipe of length 9, found "
                 "\"(stockham 8 8)\"");
  }
  EXPECT_EQ(export_wisdom(), wisdom_of(three_entries));
}

}  // namespace
}  // namespace papilio
