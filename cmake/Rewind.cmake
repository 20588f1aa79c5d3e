# -Wall -Wextra -Werror is held with these compilers; scripts/test uses both.
if(NOT (CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND
        CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12) AND
   NOT (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND
        CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 16))
  message(FATAL_ERROR "Rewind needs g++ >= 12 or clang >= 16, not "
    "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
endif()

# What was found once may have been removed since.
foreach(program CCACHE_PROGRAM MOLD_PROGRAM)
  if(${program} AND NOT EXISTS "${${program}}")
    unset(${program} CACHE)
  endif()
endforeach()

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(CCACHE_PROGRAM ccache)
  if(CCACHE_PROGRAM)
    set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  endif()
endif()

# A faster linker where there is one; clang finds the lld of its own version.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR NOT REWIND_SANITIZE)
  find_program(MOLD_PROGRAM mold)
  if(MOLD_PROGRAM)
    add_link_options(-fuse-ld=mold)
  endif()
endif()

# Half the time of a first build goes into the headers of LLVM and of the
# standard library. With ccache no second build compiles them again, and it does
# not keep what was compiled with precompiled headers.
# Of what is left, batches of forty files and more save more than half; but
# who changes one of them waits for all.
set(first_build OFF)
if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(first_build ON)
endif()
set(REWIND_PCH AUTO CACHE STRING
  "Precompile the headers that nearly every file includes")
set(REWIND_UNITY AUTO CACHE STRING "Compile files in batches")
foreach(option REWIND_PCH REWIND_UNITY)
  set_property(CACHE ${option} PROPERTY STRINGS AUTO ON OFF)
  string(TOUPPER "${${option}}" value)
  if(value STREQUAL "AUTO")
    set(${option} ${first_build})
  endif()
endforeach()

# CMake takes any word for true or false.
foreach(option REWIND_PLUGIN REWIND_TESTS REWIND_BENCH REWIND_FUZZ REWIND_PCH
        REWIND_UNITY)
  string(TOUPPER "${${option}}" value)
  if(NOT value MATCHES "^(ON|OFF|YES|NO|TRUE|FALSE|Y|N|1|0)$")
    set(choices "ON or OFF")
    if(option MATCHES "PCH|UNITY")
      set(choices "AUTO, ON or OFF")
    endif()
    # It is forgotten, so that the next attempt does without it.
    set(given "${${option}}")
    unset(${option} CACHE)
    message(FATAL_ERROR "${option} is '${given}', and can be ${choices}")
  endif()
endforeach()
if(REWIND_FUZZ AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "REWIND_FUZZ needs clang: use the preset \"fuzz\"")
endif()
if(REWIND_FUZZ AND NOT REWIND_TESTS)
  message(FATAL_ERROR "REWIND_FUZZ needs REWIND_TESTS=ON: the fuzz targets are "
    "tests")
endif()
if(REWIND_SANITIZE)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS "-fsanitize=${REWIND_SANITIZE}")
  string(MAKE_C_IDENTIFIER "REWIND_CAN_SANITIZE_${REWIND_SANITIZE}" can)
  check_cxx_source_compiles("int main() {}" ${can})
  unset(CMAKE_REQUIRED_FLAGS)
  if(NOT ${can} OR REWIND_SANITIZE MATCHES ";")
    message(FATAL_ERROR "REWIND_SANITIZE is '${REWIND_SANITIZE}', and "
      "${CMAKE_CXX_COMPILER} cannot compile a program with "
      "-fsanitize=${REWIND_SANITIZE}. It is such as 'address,undefined'; "
      "-DREWIND_SANITIZE= empties it")
  endif()
endif()

# Whether glue, which only hands on what core works out, is optimised less.
set(REWIND_FAST_GLUE OFF)
if(REWIND_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND
   NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(REWIND_FAST_GLUE ON)
endif()

# What reads bytes from outside: where its code goes guides the fuzzing.
set(REWIND_FUZZED rewind_support rewind_arch rewind_store rewind_formats
  rewind_replay rewind_viewer)

# rewind_sort(target result): with sanitizers, _glue for what only hands on what
# core works out, and for tests without models that compute much. It is not
# optimised, which halves the time to compile it. For fuzzing, _fuzzed. _tests where
# the caller has set rewind_uses_gtest. The targets of rewind_precompile have them in
# their names.
function(rewind_sort name result)
  set(sort "")
  if(name MATCHES "^rewind(.*)_headers$")
    set(sort "${CMAKE_MATCH_1}")
  else()
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    set(glue "commands|plugin|test/unit/(arch|browse|commands|export|expr)")
    string(APPEND glue "|test/unit/(profile|replay|types|view)")
    if(REWIND_SANITIZE AND folder MATCHES "^(${glue})")
      string(APPEND sort _glue)
    endif()
    if(REWIND_FUZZ AND
       (name IN_LIST REWIND_FUZZED OR name MATCHES "^rewind_format_"))
      string(APPEND sort _fuzzed)
    endif()
    if(rewind_uses_gtest)
      string(APPEND sort _tests)
    endif()
  endif()
  set(${result} "${sort}" PARENT_SCOPE)
endfunction()

# Compiler settings that all of Rewind's own code shares.
function(rewind_target name)
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE -Wall -Wextra -Werror -fno-rtti)
  # std::stable_sort of libstdc++ 12 calls what C++20 deprecates, and clang
  # blames the caller.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${name} PRIVATE -Wno-deprecated-declarations)
  endif()
  # GCC bug 80635: values in a std::optional that has none.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${name} PRIVATE -Wno-maybe-uninitialized)
  endif()
  # GCC bug 105651: at -O3, "text" + std::string warns.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND
     CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${name} PRIVATE -Wno-restrict)
  endif()
  if(REWIND_SANITIZE)
    target_compile_options(${name} PUBLIC -fsanitize=${REWIND_SANITIZE}
      -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    target_link_options(${name} PUBLIC -fsanitize=${REWIND_SANITIZE})
  endif()
  rewind_sort(${name} sort)
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  if(sort MATCHES glue)
    target_compile_options(${name} PRIVATE -O0)
  elseif(REWIND_FAST_GLUE)
    # Two thirds of the time of a batch go into optimising it.
    if(name MATCHES "^rewind_(commands|analyses|dap)$")
      target_compile_options(${name} PRIVATE -O1 -finline-small-functions
        -findirect-inlining)
    elseif(folder MATCHES "^(commands/view|plugin)")
      target_compile_options(${name} PRIVATE -Og)
    endif()
  endif()
  # A third less time to compile than -O2; what is tested has that.
  if(folder MATCHES "^test/" AND NOT folder MATCHES "^test/bench")
    target_compile_options(${name} PRIVATE
      $<$<CONFIG:Release,RelWithDebInfo>:-Og>)
  endif()
  if(sort MATCHES fuzzed)
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  if(REWIND_UNITY)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON)
    if(NOT folder MATCHES "^test")
      set_target_properties(${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 64)
    endif()
    # GCC warns of anonymous namespaces in any file but the main one. A tenth of
    # its time goes into looking for memory that it does not need back.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${name} PRIVATE -Wno-subobject-linkage
        --param=ggc-min-expand=1000 --param=ggc-min-heapsize=1000000)
    endif()
  endif()
  if(REWIND_PCH)
    # Executables are compiled as libraries are, for one header for both.
    target_compile_options(${name} PRIVATE -fPIC)
    # The same bug blames code in precompiled system headers.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${name} PRIVATE -Wno-array-bounds
        -Wno-stringop-overflow -Wno-stringop-overread)
    endif()
    rewind_precompile(${name})
  endif()
endfunction()

# For what users start often: it brings the C++ library along, which takes a quarter of
# the time to start it. LLVM is part of it in any case.
function(rewind_starts_quickly name)
  if(NOT REWIND_SANITIZE)
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
endfunction()

# rewind_alone(sources...): files in no batch, because they have names of their
# own for what others name alike, or headers that define what others mean.
function(rewind_alone)
  set_source_files_properties(${ARGN} PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# rewind_hot(sources...): what writes each row of a listing is optimised in first
# builds as in all others, and alone: in a batch less of it is inlined.
function(rewind_hot)
  if(REWIND_FAST_GLUE)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -O2
      SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# What is compiled with other options (rewind_sort) cannot share a precompiled
# header: each kind has one, made with a target of its own.
function(rewind_precompile name)
  rewind_sort(${name} sort)
  set(owner rewind${sort}_headers)
  if(name STREQUAL owner)
    target_precompile_headers(${name} PRIVATE
      <algorithm> <array> <atomic> <deque> <functional> <map> <memory> <mutex>
      <optional> <set> <string> <unordered_map> <vector>
      <llvm/ADT/ArrayRef.h> <llvm/ADT/DenseMap.h> <llvm/ADT/DenseSet.h>
      <llvm/ADT/STLExtras.h> <llvm/ADT/SmallVector.h>
      <llvm/ADT/StringExtras.h> <llvm/ADT/StringMap.h> <llvm/ADT/StringRef.h>
      <llvm/Support/Endian.h> <llvm/Support/Error.h>
      <llvm/Support/FileSystem.h> <llvm/Support/FormatVariadic.h>
      <llvm/Support/JSON.h> <llvm/Support/MathExtras.h>
      <llvm/Support/MemoryBuffer.h> <llvm/Support/Path.h>
      <llvm/Support/raw_ostream.h>)
    if(sort MATCHES tests)
      target_precompile_headers(${name} PRIVATE <gtest/gtest.h>)
    endif()
    return()
  endif()
  if(NOT TARGET ${owner})
    set(empty ${CMAKE_BINARY_DIR}/${owner}.cpp)
    file(CONFIGURE OUTPUT ${empty} CONTENT "")
    add_library(${owner} STATIC ${empty})
    target_link_libraries(${owner} PRIVATE rewind_llvm)
    if(sort MATCHES tests)
      target_link_libraries(${owner} PRIVATE GTest::gtest)
    endif()
    rewind_target(${owner})
  endif()
  target_precompile_headers(${name} REUSE_FROM ${owner})
endfunction()

# rewind_core_library(name sources... LINK libs...): one room of core.
function(rewind_core_library name)
  cmake_parse_arguments(A "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${A_UNPARSED_ARGUMENTS})
  rewind_target(${name})
  target_link_libraries(${name} PUBLIC rewind_llvm Threads::Threads ${A_LINK})
endfunction()

# Words of C++ and of its library, which would hide it.
set(REWIND_NO_NAMESPACES alignas alignof and and_eq asm auto bitand bitor bool
  break case catch char char16_t char32_t char8_t class co_await co_return
  co_yield compl concept const const_cast consteval constexpr constinit continue
  decltype default delete do double dynamic_cast else enum explicit export extern
  false float for friend goto if inline int llvm long mutable namespace new
  noexcept not not_eq nullptr operator or or_eq private protected public register
  reinterpret_cast requires return rw short signed sizeof static static_assert
  static_cast std struct switch template this thread_local throw true try typedef
  typeid typename union unsigned using virtual void volatile wchar_t while xor
  xor_eq)

# rewind_formats(owner folder...): the trace formats in these folders, and the
# list of them, which the target owner has. Each is a library; a folder's
# CMakeLists.txt adds its sources to ${target}. Only what REWIND_FORMATS names may
# lack one: its code is in the library that the owner links.
function(rewind_formats owner)
  set(names "")
  foreach(folder ${ARGN})
    get_filename_component(path "${folder}" ABSOLUTE)
    get_filename_component(name "${path}" NAME)
    set(wrong "")
    # Of REWIND_EXTRA_FORMATS: a room of this tree, or a folder that holds it.
    set(own OFF)
    file(RELATIVE_PATH inside ${PROJECT_SOURCE_DIR} "${path}")
    if(IS_ABSOLUTE "${folder}" AND
       "${inside}/" MATCHES "^((core|commands|plugin)/.*|(\\.\\./)*|/)$")
      set(own ON)
    endif()
    if(NOT name MATCHES "^[A-Za-z][A-Za-z0-9_]*$" OR
       name IN_LIST REWIND_NO_NAMESPACES)
      set(wrong "its folder has the name of its namespace, and '${name}' cannot "
        "be one")
    elseif(name IN_LIST names)
      set(wrong "there is already one with the name '${name}'")
    elseif(own)
      set(wrong "this folder holds Rewind's own code")
    elseif(EXISTS "${path}/CMakeLists.txt")
      set(target rewind_format_${name})
      add_library(${target} STATIC)
      add_subdirectory("${path}" ${CMAKE_CURRENT_BINARY_DIR}/formats/${name})
      rewind_target(${target})
      target_link_libraries(${target} PUBLIC rewind_formats)
      target_link_libraries(${owner} PUBLIC ${target})
    elseif(owner STREQUAL rewind_formats OR
           NOT folder IN_LIST REWIND_FORMATS)
      set(wrong "its folder has no CMakeLists.txt, which names its sources")
      if(NOT IS_DIRECTORY "${path}")
        set(wrong "there is no such folder")
      endif()
    endif()
    if(wrong)
      # CMake keeps the option, with what is wrong.
      if(IS_ABSOLUTE "${folder}")
        string(APPEND wrong ". It is in REWIND_EXTRA_FORMATS, which "
          "-DREWIND_EXTRA_FORMATS= empties")
      endif()
      message(FATAL_ERROR "The trace format '${path}': " ${wrong})
    endif()
    list(APPEND names ${name})
  endforeach()
  rewind_list_formats(${owner} ${names})
endfunction()

# rewind_list_formats(owner name...): the list of these formats, for the target.
function(rewind_list_formats owner)
  list(TRANSFORM ARGN REPLACE "(.+)" "REWIND_FORMAT(\\1)" OUTPUT_VARIABLE list)
  list(JOIN list "\n" list)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${owner}-formats)
  file(CONFIGURE OUTPUT ${generated}/Formats.def CONTENT "${list}\n")
  target_include_directories(${owner} PRIVATE ${generated})
  target_sources(${owner} PRIVATE
    ${PROJECT_SOURCE_DIR}/core/formats/Registry.cpp)
  # Who has a list of its own leaves that of the library out, an object file.
  rewind_alone(${PROJECT_SOURCE_DIR}/core/formats/Registry.cpp)
endfunction()

# rewind_link_rooms(target room...): for the first session of scripts/quickstart a
# target is linked with these rooms and no more. As files: as targets they would
# bring along what they are linked with elsewhere.
function(rewind_link_rooms name)
  list(TRANSFORM ARGN REPLACE "(.+)" "rewind_\\1" OUTPUT_VARIABLE rooms)
  list(TRANSFORM rooms REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE files)
  add_dependencies(${name} ${rooms})
  target_link_libraries(${name} PRIVATE -Wl,--start-group ${files} -Wl,--end-group
    rewind_llvm PkgConfig::ZSTD PkgConfig::LZMA ZLIB::ZLIB BZip2::BZip2
    Threads::Threads)
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${files})
endfunction()

# rewind_embed(output folder file...): a C++ file to include, with the bytes of
# each file as an array that is called as the file.
function(rewind_embed output folder)
  set(arrays "")
  foreach(name ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
      ${folder}/${name})
    file(READ ${folder}/${name} bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(MAKE_C_IDENTIFIER ${name} id)
    string(APPEND arrays "static const unsigned char ${id}[] = {${bytes}};\n")
  endforeach()
  file(CONFIGURE OUTPUT ${output} CONTENT "${arrays}" @ONLY)
endfunction()

# What was given for an option that nothing declares. It is forgotten, so that the
# next attempt does without it.
function(rewind_refuse_unknown_options)
  get_cmake_property(names CACHE_VARIABLES)
  set(unknown "")
  set(options "")
  foreach(name IN LISTS names)
    if(name MATCHES "^REWIND_")
      get_property(type CACHE ${name} PROPERTY TYPE)
      if(type STREQUAL "UNINITIALIZED")
        unset(${name} CACHE)
        list(APPEND unknown ${name})
      elseif(NOT type STREQUAL "INTERNAL")
        list(APPEND options ${name})
      endif()
    endif()
  endforeach()
  if(unknown)
    list(JOIN unknown ", " unknown)
    list(JOIN options ", " options)
    message(FATAL_ERROR "${unknown}: there is no such option. There are "
      "${options}")
  endif()
endfunction()
