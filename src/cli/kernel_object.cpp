#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "cli/profile_run.hpp"
#include "papilio/version.hpp"

namespace papilio::cli::profile_verb {
namespace {

using kernel_list = std::vector<kernels::catalog_entry>;

/// The function that the object exports under that name; null where it does not.
template <class Function>
Function* found_in(void* object, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(object, name));
}

kernel_list loaded(const std::string& path) {
  require_shared_object(path);
  void* const object = ::dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) throw io_error(path, fmt::format("cannot be loaded: {}", ::dlerror()));
  auto* const version = found_in<const char*()>(object, "papilio_kernel_object_version");
  auto* const list = found_in<void(kernel_list&)>(object, "papilio_kernel_object");
  if (version == nullptr || list == nullptr)
    throw io_error(path, "has no kernels: PAPILIO_KERNEL_OBJECT(...) is missing in it");
  if (const std::string made_for = version(); made_for != PAPILIO_VERSION)
    throw io_error(path, fmt::format("is made for papilio {}, this is {}: compile it again",
                                     made_for, PAPILIO_VERSION));
  kernel_list kernels;
  try {
    list(kernels);
  } catch (const std::exception& e) {
    throw io_error(path, fmt::format("its list of kernels throws: {}", e.what()));
  } catch (...) {
    throw io_error(path, "its list of kernels throws");
  }
  if (kernels.empty()) throw io_error(path, "its list of kernels is empty");
  for (const kernels::catalog_entry& entry : kernels)
    if (entry.name.empty() || !entry.size)
      throw io_error(path, fmt::format("its kernel \"{}\" has no name or no size()", entry.name));
  return kernels;
}

}  // namespace

void require_shared_object(const std::string& path) {
  std::error_code none;
  const std::uintmax_t bytes = std::filesystem::file_size(path, none);
  if (none) throw io_error(path, none.message());
  std::ifstream file(path, std::ios::binary);
  ElfW(Ehdr) head{};
  const auto read = [&](auto& into) {
    return bool(file.read(reinterpret_cast<char*>(&into), sizeof into));
  };
  if (!read(head) || !std::equal(head.e_ident, head.e_ident + SELFMAG, ELFMAG) ||
      head.e_type != ET_DYN || head.e_phentsize != sizeof(ElfW(Phdr)))
    throw io_error(path, "is not a shared object (ELF)");
  file.seekg(static_cast<std::streamoff>(head.e_phoff));
  for (int i = 0; i < head.e_phnum; ++i) {
    ElfW(Phdr) part{};
    if (!read(part) || part.p_offset > bytes || part.p_filesz > bytes - part.p_offset)
      throw io_error(path, "is cut short");
  }
}

// Objects stay loaded to the end: their functions are called until then.
const kernel_list& kernels_of_object(const std::string& path) {
  static std::map<std::string, kernel_list> all;
  const auto at = all.find(path);
  return at != all.end() ? at->second : all.emplace(path, loaded(path)).first->second;
}

}  // namespace papilio::cli::profile_verb
