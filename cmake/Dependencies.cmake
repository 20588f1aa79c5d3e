# LLVM 22 (Support, Object, DebugInfo, MC) is required; in a plugin it must be the
# one that liblldb-22 itself uses, so that a process never holds two of them.
find_package(LLVM 22.1 REQUIRED CONFIG PATHS /usr/lib/llvm-22/lib/cmake/llvm)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(LZMA REQUIRED IMPORTED_TARGET liblzma)
find_package(ZLIB REQUIRED)
find_package(BZip2 REQUIRED)
find_package(Boost 1.81 REQUIRED) # headers only
pkg_check_modules(NCURSESW IMPORTED_TARGET ncursesw)
if(NOT NCURSESW_FOUND)
  message(FATAL_ERROR "ncursesw was not found, which `rewind browse` draws with: "
    "install libncurses-dev (scripts/install-packages does)")
endif()
find_path(LIBIPT_INCLUDE intel-pt.h REQUIRED)
find_library(LIBIPT_LIBRARY ipt REQUIRED)
find_library(LIBELF_LIBRARY elf REQUIRED)
find_library(LIBUNICORN_LIBRARY unicorn)
find_path(LIBUNICORN_INCLUDE unicorn/unicorn.h)
# Optional: a second opinion in a test.
find_library(LIBCAPSTONE_LIBRARY capstone)
find_path(LIBCAPSTONE_INCLUDE capstone/capstone.h)

add_library(rewind_llvm INTERFACE)
target_include_directories(rewind_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_compile_definitions(rewind_llvm INTERFACE ${LLVM_DEFINITIONS_LIST})
# Programs have the parts that they need in themselves: to load all of LLVM takes
# five times as long as the rest of what `rewind` does when it starts. A sanitizer
# would take functions of these parts, which it does not watch, for ours.
set(shared ${LLVM_LIBRARY_DIRS}/libLLVM-22.so)
llvm_map_components_to_libnames(parts support object debuginfodwarf mc
  mcdisassembler demangle binaryformat targetparser)
# The machines of core/arch/McTarget.cpp.
foreach(machine AArch64 ARM PowerPC X86)
  list(APPEND parts LLVM${machine}Desc LLVM${machine}Info
    LLVM${machine}Disassembler)
endforeach()
if(REWIND_SANITIZE OR NOT TARGET LLVMSupport)
  set(program 0)
else()
  set(program $<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>)
  target_link_options(rewind_llvm INTERFACE -Wl,--as-needed -Wl,--gc-sections)
endif()
target_link_libraries(rewind_llvm INTERFACE
  "$<IF:${program},${parts},${shared}>")

if(REWIND_PLUGIN)
  find_library(LLDB_LIBRARY NAMES lldb-22 lldb HINTS ${LLVM_LIBRARY_DIRS} REQUIRED)
  find_path(LLDB_INCLUDE lldb/API/LLDB.h HINTS ${LLVM_INCLUDE_DIRS} REQUIRED)
endif()

# Optional: cross compilers for the sample and the test programs.
find_program(AARCH64_CC NAMES aarch64-linux-gnu-gcc)
find_program(ARM_CC NAMES arm-linux-gnueabihf-gcc)
