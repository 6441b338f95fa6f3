#include "layering/type_names.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "layering/layering.hpp"

namespace papilio::test {
namespace {

using names = std::vector<std::string>;

// The linker takes one of two, and says nothing.
TEST(type_names, of_the_library_are_each_of_one_file) {
  const std::filesystem::path root = PAPILIO_SOURCE_DIR;
  std::map<std::string, std::string> files;
  std::size_t types = 0;
  for (const auto& path : sources_below(root, {"include", "src", "kernels"})) {
    std::ifstream file(root / path, std::ios::binary);
    std::string& text = files[path.generic_string()];
    text.assign(std::istreambuf_iterator<char>(file), {});
    types += types_defined(text).size();
  }
  EXPECT_GT(types, 500u);
  for (const std::string& twice : types_defined_twice(files)) ADD_FAILURE() << twice;
}

TEST(type_names, of_one_name_in_two_files) {
  const std::string open = "namespace papilio::kernels_detail {\n";
  const std::map<std::string, std::string> files{
      {"a.cpp", open + "struct plan { int a; };\nstruct own { int a; };\n}"},
      {"b.hpp", open + "class plan {};\n}"},
      {"c.cpp", open + "namespace {\nstruct plan { double a; };\n}\nstruct plan;\n}"},
      {"d.cpp", "namespace papilio { namespace other { struct plan {}; } }"},
      {"e.cpp",
       "namespace papilio {\nnamespace kernels_detail {\nenum class own : int { a };\n}}"}};
  EXPECT_EQ(types_defined_twice(files),
            (names{"papilio::kernels_detail::own is defined in a.cpp and e.cpp",
                   "papilio::kernels_detail::plan is defined in a.cpp and b.hpp"}));
}

TEST(type_names, of_what_is_at_namespace_scope) {
  EXPECT_EQ(types_defined("struct a {}; class b final : public a { struct in {}; }; union c {};"),
            (names{"a", "b", "c"}));
  EXPECT_EQ(types_defined("enum a { x }; enum class b : unsigned char { x }; enum struct c {};"),
            (names{"a", "b", "c"}));
  EXPECT_EQ(
      types_defined("class PAPILIO_API a {}; struct alignas(64) b {}; struct [[nodiscard]] c {};"),
      (names{"a", "b", "c"}));
  EXPECT_EQ(types_defined("namespace a { inline namespace b { struct c {}; } struct d {}; }"),
            (names{"a::b::c", "a::d"}));
  EXPECT_EQ(types_defined("extern \"C\" { struct a {}; } typedef struct b { int x; } c;"),
            (names{"a", "b"}));
  EXPECT_EQ(types_defined("struct outer { struct in; }; struct outer::in { int x; };"),
            (names{"outer", "outer::in"}));
}

TEST(type_names, of_templates) {
  EXPECT_EQ(types_defined("template <class T, template <class> class U> struct a { T x; };\n"
                          "template <> struct a<int, b> {};\n"
                          "template <class T> struct a<T*, c> {};\n"
                          "template <class T> requires(is<T>()) class d {};"),
            (names{"a", "a<int,b>", "a<T*,c>", "d"}));
}

TEST(type_names, of_no_type) {
  EXPECT_EQ(types_defined("struct a; enum class b : int; struct a f(struct a x) { return {}; }"),
            names{});
  EXPECT_EQ(types_defined("void f() { struct in {}; } template <class T> void g(T) {}"), names{});
  EXPECT_EQ(types_defined("const struct a x = {1, 2}; struct { int y; } z; int w[] = {1};"),
            names{});
  EXPECT_EQ(types_defined("x::x() : a{1}, b(2) { struct in {}; }\nstruct c {};"), names{"c"});
}

TEST(type_names, of_text_that_is_no_program) {
  EXPECT_EQ(types_defined("// struct a {};\n/* struct b {}; */ struct c {};\n"), names{"c"});
  EXPECT_EQ(
      types_defined("auto s = \"struct a { \\\" {\"; char x = '{'; int n = 1'000; struct b {};"),
      names{"b"});
  EXPECT_EQ(types_defined("auto s = R\"x(struct a { \")\" )x\"; struct b {};"), names{"b"});
  EXPECT_EQ(types_defined("#define MAKE(x) \\\n  struct x {};\nstruct a {};"), names{"a"});
  EXPECT_EQ(types_defined("} } struct a {"), names{"a"});
}

}  // namespace
}  // namespace papilio::test
