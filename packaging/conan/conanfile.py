"""papilio for Conan 2, with the libraries of the system (Debian's packages).

conan create packaging/conan -s compiler.cppstd=gnu20                                   # core, fft, signal
conan create packaging/conan -s compiler.cppstd=gnu20 -o "papilio/*:sound=True"         # and others
"""

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.system.package_manager import Apt

NEEDS = {
    "core": ["libfmt-dev", "nlohmann-json3-dev"],
    "fft": ["libhwy-dev"],
    "signal": [],
    "sound": ["libsndfile1-dev", "libflac-dev", "libmpg123-dev", "libsoxr-dev", "libpango1.0-dev", "libcairo2-dev", "libpng-dev"],
    "tensor": ["libopenblas-dev", "liblapacke-dev"],
    "device": [],
}
COMPONENTS = {"core": [], "fft": ["core"], "signal": ["fft"], "sound": ["core"], "tensor": ["core"], "device": ["core"]}


class Papilio(ConanFile):
    name = "papilio"
    description = "FFT and spectral analysis: a C++20 library"
    license = "Apache-2.0"
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {name: [True, False] for name in ("sound", "tensor", "device")}
    default_options = {name: False for name in options}

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def _components(self):
        return [c for c in COMPONENTS if c not in self.options or self.options.get_safe(c)]

    def set_version(self):
        text = load(self, os.path.join(self._root, "CMakeLists.txt"))
        self.version = re.search(r"project\(papilio VERSION ([0-9.]+)", text).group(1)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "kernels/*", "src/*"):
            copy(self, pattern, self._root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def validate(self):
        check_min_cppstd(self, 20)

    def system_requirements(self):
        packages = ["cmake", "pkg-config"]
        for component in self._components():
            packages += NEEDS[component]
        Apt(self).install(packages)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for name in ("sound", "tensor", "device"):
            toolchain.cache_variables[f"PAPILIO_{name.upper()}"] = bool(self.options.get_safe(name))
        for name in ("CLI", "TESTS", "EXAMPLES"):
            toolchain.cache_variables[f"PAPILIO_BUILD_{name}"] = False
        toolchain.cache_variables["CMAKE_UNITY_BUILD"] = True
        toolchain.cache_variables["CMAKE_UNITY_BUILD_BATCH_SIZE"] = "32"
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")  # papilioConfig.cmake is in the package
        for name in self._components():
            component = self.cpp_info.components[name]
            component.libs = [f"papilio_{name}"]
            component.requires = COMPONENTS[name]
            component.builddirs = [os.path.join("lib", "cmake", "papilio")]
            component.set_property("pkg_config_name", f"papilio-{name}")
