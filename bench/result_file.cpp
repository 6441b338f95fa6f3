#include "result_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "papilio/base/atomic_file.hpp"

namespace papilio::bench {
namespace {

using json = nlohmann::ordered_json;

template <class Row, class Visit>
void each_member(Row& r, const Visit& visit)
  requires std::is_same_v<std::remove_const_t<Row>, crossing>
{
  visit("device_wins", r.device_wins);
  visit("host_wins", r.host_wins);
}

template <class Row, class Visit>
void each_member(Row& r, const Visit& visit)
  requires std::is_same_v<std::remove_const_t<Row>, result_row>
{
  visit("table", r.table);
  visit("op", r.op);
  visit("shape", r.shape);
  visit("flops", r.flops);
  visit("missing", r.missing);
  visit("host_one_seconds", r.host_one);
  visit("host_all_seconds", r.host_all);
  visit("peer", r.peer);
  visit("peer_one_seconds", r.peer_one);
  visit("peer_all_seconds", r.peer_all);
  visit("quiet", r.is_quiet);
  visit("recipe", r.recipe);
  visit("device_warm_seconds", r.device_warm);
  visit("device_launch_seconds", r.device_launch);
  visit("device_copies_seconds", r.device_copies);
  visit("device_program_seconds", r.device_program);
  visit("device_resident_seconds", r.device_resident);
  visit("device_cold_seconds", r.device_cold);
  visit("error", r.error);
  visit("expected_error", r.expected_error);
  visit("published_device_us", r.published_device);
  visit("published_host_us", r.published_host);
  visit("published_note", r.published_note);
  visit("grows_by", r.grows_by);
  visit("crossing_warm", r.crossing_warm);
  visit("crossing_resident", r.crossing_resident);
}

template <class File, class Visit>
void each_member(File& f, const Visit& visit)
  requires std::is_same_v<std::remove_const_t<File>, result_file>
{
  visit("papilio", f.version);
  visit("build", f.build);
  visit("date", f.date);
  visit("processor", f.processor);
  visit("instruction_set", f.instruction_set);
  visit("host_model", f.host_model);
  visit("cores", f.cores);
  visit("load", f.load);
  visit("calibrated", f.is_calibrated);
  visit("blas", f.blas);
  visit("blas_core", f.blas_core);
  visit("blas_core_asked", f.blas_core_asked);
  visit("machine", f.machine);
  visit("runtime", f.runtime);
}

// Six digits: more were never measured. Whole numbers are counts.
double rounded(double value) {
  if (value == std::floor(value)) return value;
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return std::stod(text);
}

template <class Object>
json object_of(const Object& from);

json value_of(const std::string& x) { return x; }
json value_of(bool x) { return x; }
json value_of(std::size_t x) { return x; }
json value_of(double x) { return rounded(x); }
json value_of(const crossing& x) { return object_of(x); }
template <class T>
json value_of(const std::optional<T>& x) {
  return x ? value_of(*x) : json();
}

template <class Object>
json object_of(const Object& from) {
  json object = json::object();
  each_member(from, [&](const char* name, const auto& x) {
    json value = value_of(x);
    if (!value.is_null()) object[name] = std::move(value);  // absent: none
  });
  return object;
}

class reader {
 public:
  reader(const json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object_.is_object()) fail("is not an object");
  }

  template <class Object>
  Object read(const std::set<std::string>& others = {}) {
    Object to;
    std::set<std::string> known = others;
    each_member(to, [&](const char* name, auto& x) {
      known.insert(name);
      take(name, x);
    });
    for (const auto& [name, value] : object_.items())
      if (!known.contains(name)) fail('"' + name + "\" is unknown");
    return to;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(where_ + ": " + what);
  }

 private:
  template <class T>
  void take(const char* name, std::optional<T>& to) {
    if (object_.contains(name)) take(name, to.emplace());
  }
  template <class T>
  void take(const char* name, T& to) {
    if (!object_.contains(name)) fail('"' + std::string(name) + "\" is missing");
    assign(name, object_.at(name), to);
  }
  void expect(bool is_good, const char* name, const char* what) const {
    if (!is_good) fail('"' + std::string(name) + "\" must be " + what);
  }
  void assign(const char* name, const json& from, std::string& to) const {
    expect(from.is_string(), name, "a string");
    to = from.get<std::string>();
  }
  void assign(const char* name, const json& from, bool& to) const {
    expect(from.is_boolean(), name, "true or false");
    to = from.get<bool>();
  }
  void assign(const char* name, const json& from, std::size_t& to) const {
    expect(from.is_number_unsigned(), name, "a whole number of at least 0");
    to = from.get<std::size_t>();
  }
  void assign(const char* name, const json& from, double& to) const {
    expect(from.is_number() && std::isfinite(from.get<double>()) && from.get<double>() >= 0, name,
           "a number of at least 0");
    to = from.get<double>();
  }
  void assign(const char* name, const json& from, crossing& to) const {
    to = reader(from, where_ + ": \"" + name + '"').read<crossing>();
  }

  const json& object_;
  std::string where_;
};

}  // namespace

std::optional<double> result_row::host_best() const {
  if (host_one && host_all) return std::min(*host_one, *host_all);
  return host_one ? host_one : host_all;
}

std::string to_json(const result_file& results) {
  json file = json::object();
  file["format"] = result_format;
  file.update(object_of(results));
  file["rows"] = json::array();
  for (const result_row& row : results.rows) file["rows"].push_back(object_of(row));
  return file.dump(1, ' ', false, json::error_handler_t::replace) + '\n';
}

result_file from_json(const std::string& text, const std::string& name) {
  require_json_levels(text, name);
  json file;
  try {
    file = json::parse(text);
  } catch (const json::exception& e) {
    throw std::runtime_error(name + ": is no JSON: " + e.what());
  }
  reader in(file, name);
  if (!file.contains("format") || !file["format"].is_number_integer())
    in.fail("\"format\" is missing: it is no file of bench/run");
  if (file["format"] != result_format)
    in.fail("is of format " + file["format"].dump() + ", this program reads format " +
            std::to_string(result_format));
  result_file results = in.read<result_file>({"format", "rows"});
  if (!file.contains("rows") || !file["rows"].is_array()) in.fail("\"rows\" must be an array");
  std::set<std::pair<std::string, std::string>> seen;
  for (const json& row : file["rows"]) {
    const std::string where = name + ": row " + std::to_string(results.rows.size() + 1);
    results.rows.push_back(reader(row, where).read<result_row>());
    const result_row& added = results.rows.back();
    if (!seen.insert({added.op, added.shape}).second)
      throw std::runtime_error(where + ": " + added.op + ' ' + added.shape + " is there twice");
  }
  return results;
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file || std::filesystem::is_directory(path))
    throw std::runtime_error(path.string() + ": cannot be read");
  return text.str();
}

result_file read_results(const std::filesystem::path& path) {
  return from_json(read_text(path), path.string());
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::error_code ignored;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), ignored);
  const std::filesystem::path part = path.string() + ".part";
  std::ofstream file(part, std::ios::binary);
  file << text;
  file.close();
  if (!file) {
    std::filesystem::remove(part, ignored);
    throw std::runtime_error(path.string() + ": cannot be written");
  }
  std::filesystem::rename(part, path);
}

std::string file_name_of(const result_file& results) {
  return 'v' + results.version + '-' + results.date + ".json";
}

std::filesystem::path newest_results(const std::filesystem::path& folder) {
  std::pair<std::string, std::filesystem::path> newest;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".json")
      newest = std::max(newest, {read_results(entry.path()).date, entry.path()});
  if (newest.second.empty())
    throw std::runtime_error(folder.string() + ": there are no results; bench/run makes some");
  return newest.second;
}

}  // namespace papilio::bench
