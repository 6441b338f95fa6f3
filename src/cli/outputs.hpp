#pragma once

#include <filesystem>
#include <set>

#include "cli/flags.hpp"

namespace papilio::cli {

/// One file that is written.
struct output {
  std::filesystem::path name;  ///< "-": standard output
  std::string kind;            ///< "png", "csv", ...
  bool named = true;           ///< by the user, who may name a link; others are chosen here
  bool is_joint = false;       ///< one of all inputs together

  bool to_standard_output() const { return name == "-"; }
  /// The name by which it is opened.
  std::filesystem::path path() const { return to_standard_output() ? "/dev/stdout" : name; }
};

/// The kinds of output that a verb can write. It is filled member by member: where memory ends
/// within one initializer of several lists, GCC 12 destroys members that were never made.
struct output_kinds {
  std::vector<std::string> kinds;          ///< endings without the dot; the first is the usual one
  std::vector<std::string> streamed = {};  ///< those that standard output can take
  /// Not empty: without --out, NAME.KIND in the current folder is written. It replaces a file of
  /// which this says that an earlier run of the command made it, another one only with --force.
  std::function<bool(const std::filesystem::path& path, const std::string& kind)> is_own = {};
  std::string suffix = {};              ///< of NAME there, where it would else be the input's
  std::vector<std::string> joint = {};  ///< kinds that show several inputs in one
  bool one = false;                     ///< of each input there is no more than one
  bool second_is_output = false;  ///< without --out the second of two files is, as it once was
  /// Former names of --out, hidden, and the kinds of each.
  std::vector<std::pair<std::string, std::vector<std::string>>> former_flags = {};
  std::string companion =
      {};  ///< not empty: beside each file comes one of its name and this ending
};

inline constexpr const char* no_clobber_help = "Refuse to replace any file";

/// -o, --out and --format: where outputs go, the same in every verb that has them. A name tells the
/// kind by its ending; a folder, which ends in / or is one or is for several inputs, is made and
/// gets a file of each kind for each input. A file of a name that the user gave is replaced, unless
/// --no-clobber is given.
class output_flags {
 public:
  explicit output_flags(output_kinds can)
      : can_(std::move(can)), former_(can_.former_flags.size()) {}

  /// --out and --format, and --format alone.
  void add_to(command& verb, const std::string& help);
  void add_format_to(command& verb);
  /// Outputs to write for each file, in the order of --out; nothing is made yet. usage_error,
  /// naming the flag: for an unknown ending, an output that is an input or comes twice, and what
  /// standard output does not take.
  std::vector<std::vector<output>> of(const std::vector<std::string>& files) const;

  /// "denoise FILE OUT", as former versions had it. usage_error where OUT may be another input.
  void take_second_of(std::vector<std::string>& files);

  /// Without --out nothing is written, whatever the verb is.
  void write_only_what_is_named() { can_.is_own = {}; }

  const output_kinds& can() const { return can_; }
  /// The kinds of --format, or the usual one. usage_error for one that there is not, or twice.
  std::vector<std::string> formats() const;

  bool are_named() const { return !names.empty(); }
  bool to_standard_output() const;
  /// Whether an output of one of these kinds can come of it.
  bool may_be(const std::vector<std::string>& kinds) const;

  std::vector<std::string> names;
  std::string format;  ///< "csv,npy"
  bool force = false, no_clobber = false;

 private:
  output by_default(const std::string& file, const std::string& kind) const;
  std::vector<output> named(const std::string& file, const std::string& out, bool several) const;
  void check(const std::vector<output>& outs, const std::string& flag,
             const std::vector<std::string>& files, std::set<std::filesystem::path>& seen) const;

  output_kinds can_;
  std::vector<std::string> former_;  ///< what each of the former flags says
};

/// Their names, for reports.
std::vector<std::string> names_of(const std::vector<output>& outputs);

/// Keeps outputs whose names the user has not typed inside `folder`: io_error where a part of
/// `relative` is a symbolic link, a FIFO or a device, which would lead elsewhere.
void require_plain_path(const std::filesystem::path& folder, const std::filesystem::path& relative);

/// The folder, made with those around it. io_error where it cannot be.
void make_folder(const std::filesystem::path& folder);
/// The folders of outputs, made. io_error where one cannot be.
void make_folders(const std::vector<output>& outputs);

}  // namespace papilio::cli
