#include "papilio/base/atomic_file.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <iterator>
#include <string>

#include "papilio/base/error.hpp"
#include "support/temporary_directory.hpp"
#include "support/wav_bytes.hpp"

namespace papilio {
namespace {

namespace fs = std::filesystem;
using test::read_bytes;
using test::write_bytes;

std::ptrdiff_t entries(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

std::string reason(const std::function<void()>& action) {
  try {
    action();
  } catch (const io_error& e) {
    return e.what();
  }
  return "(no io_error)";
}

void put(const fs::path& path, const std::string& bytes) {
  atomic_file file(path);
  file.write(bytes.data(), bytes.size());
  file.commit();
}

TEST(atomic_file, appears_whole_at_commit_and_not_before) {
  const test::temporary_directory folder;
  const std::string big(200'001, 'x');
  atomic_file file(folder / "out");
  file.write("ab", 2);
  file.write(big.data(), big.size());
  file.write_at(0, "Z", 1);
  file.write("c", 1);
  EXPECT_FALSE(fs::exists(folder / "out"));
  EXPECT_LE(entries(folder.path()), 1);  // 0 where the file system has files without a name
  file.commit();
  EXPECT_EQ(read_bytes(folder / "out"), "Zb" + big + "c");
  EXPECT_EQ(entries(folder.path()), 1);
}

TEST(atomic_file, without_commit_the_old_file_stays) {
  const test::temporary_directory folder;
  put(folder / "out", "old");
  {
    atomic_file file(folder / "out");
    file.write("new", 3);
    EXPECT_LE(entries(folder.path()), 2);
  }
  EXPECT_EQ(read_bytes(folder / "out"), "old");
  EXPECT_EQ(entries(folder.path()), 1);
}

TEST(atomic_file, replacing_keeps_the_mode) {
  const test::temporary_directory folder;
  put(folder / "out", "old");
  ASSERT_EQ(::chmod((folder / "out").c_str(), 0600), 0);
  put(folder / "out", "new");
  EXPECT_EQ(fs::status(folder / "out").permissions(), fs::perms(0600));
  EXPECT_EQ(read_bytes(folder / "out"), "new");
}

TEST(atomic_file, new_files_obey_the_umask) {
  const test::temporary_directory folder;
  const mode_t before = ::umask(027);
  put(folder / "out", "x");
  ::umask(before);
  EXPECT_EQ(fs::status(folder / "out").permissions(), fs::perms(0640));
}

TEST(atomic_file, writes_through_symbolic_links) {
  const test::temporary_directory folder;
  fs::create_directory(folder / "sub");
  fs::create_symlink("sub/real", folder / "link");
  put(folder / "link", "1");  // dangling at first
  put(folder / "link", "22");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_bytes(folder / "sub" / "real"), "22");
  fs::create_symlink("loop", folder / "loop");
  EXPECT_NE(reason([&] { put(folder / "loop", "x"); }).find("Too many levels"), std::string::npos);
}

TEST(atomic_file, refuses_links_of_other_users) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make a link another user's";
  const test::temporary_directory folder;
  write_bytes(folder / "real", "old");
  fs::create_symlink("real", folder / "link");
  ASSERT_EQ(::lchown((folder / "link").c_str(), 12345, 12345), 0);
  EXPECT_EQ(
      reason([&] { put(folder / "link", "new"); }),
      (folder / "link").string() + ": is a symbolic link of another user, which is not followed");
  EXPECT_EQ(read_bytes(folder / "real"), "old");
}

TEST(atomic_file, refuses_directories_and_missing_folders) {
  const test::temporary_directory folder;
  EXPECT_EQ(reason([&] { atomic_file f(folder.path()); }),
            folder.path().string() + ": Is a directory");
  const fs::path lost = folder / "none/out";
  EXPECT_EQ(reason([&] { atomic_file f(lost); }), lost.string() + ": No such file or directory");
  EXPECT_NE(reason([] { atomic_file f(""); }).find("no name"), std::string::npos);
  EXPECT_EQ(entries(folder.path()), 0);
}

TEST(atomic_file, full_device_is_reported_and_stays_a_device) {
  EXPECT_EQ(reason([] { put("/dev/full", "x"); }), "/dev/full: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  put("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(atomic_file, writes_into_named_descriptors) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  put("/dev/fd/" + std::to_string(ends[1]), "hello");
  char got[8] = {};
  EXPECT_EQ(::read(ends[0], got, sizeof got), 5);
  EXPECT_STREQ(got, "hello");
  ::close(ends[0]);
  ::close(ends[1]);
}

/// Runs `body` in a child process; its exit code.
int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

TEST(atomic_file, when_the_disk_fills_up_nothing_is_left) {
  const test::temporary_directory folder;
  put(folder / "out", "old");
  const int code = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100'000, 100'000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
    return reason([&] { put(folder / "out", std::string(300'000, 'x')); }) ==
                   (folder / "out").string() + ": File too large"
               ? 0
               : 1;
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(entries(folder.path()), 1);
  EXPECT_EQ(read_bytes(folder / "out"), "old");
}

TEST(commit_group, names_all_its_files_at_once) {
  const test::temporary_directory folder;
  atomic_file apart(folder / "apart");
  {
    commit_group group;
    put(folder / "first", "1");
    put(folder / "second", "2");
    {
      commit_group inner;
      put(folder / "dropped", "3");
    }
    EXPECT_EQ(entries(folder.path()), 0);
    group.finish();
    EXPECT_EQ(entries(folder.path()), 2);
  }
  EXPECT_EQ(read_bytes(folder / "second"), "2");
  apart.commit();
  EXPECT_EQ(entries(folder.path()), 3);
}

TEST(commit_group, when_the_disk_fills_up_none_is_left) {
  const test::temporary_directory folder;
  const int code = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100'000, 100'000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
    commit_group group;
    put(folder / "fits", "1");
    return reason([&] { put(folder / "does_not", std::string(300'000, 'x')); }).empty() ? 1 : 0;
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(entries(folder.path()), 0);
}

TEST(commit_group, tells_what_is_there_where_a_name_is_refused) {
  const test::temporary_directory folder;
  const std::string made = (folder / "a").string(), refused = (folder / "b").string();
  commit_group group;
  put(made, "1");
  put(refused, "2");
  fs::create_directory(refused);
  EXPECT_EQ(reason([&] { group.finish(); }),
            refused + ": Is a directory; already written: " + made);
  EXPECT_EQ(read_bytes(made), "1");
}

TEST(atomic_file, read_only_folder_and_file_are_refused) {
  const test::temporary_directory folder;
  put(folder / "kept", "old");
  fs::permissions(folder / "kept", fs::perms(0444));
  fs::permissions(folder.path(), fs::perms(0555));
  const int code = in_child([&] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) return 2;
    for (const char* name : {"kept", "new"})
      if (reason([&] { put(folder / name, "x"); }) !=
          (folder / name).string() + ": Permission denied")
        return 1;
    return 0;
  });
  fs::permissions(folder.path(), fs::perms(0755));
  EXPECT_EQ(code, 0);
  EXPECT_EQ(entries(folder.path()), 1);
}

}  // namespace
}  // namespace papilio
