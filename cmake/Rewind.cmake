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
# Of what is left, batches of sixteen files save half again; but who changes one
# of them waits for sixteen.
set(first_build OFF)
if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(first_build ON)
endif()
option(REWIND_PCH "Precompile the headers that nearly every file includes"
  ${first_build})
option(REWIND_UNITY "Compile files in batches" ${first_build})

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
# optimised, which halves the time to compile it. For fuzzing, _fuzzed. The
# targets of rewind_precompile have both in their names.
function(rewind_sort name result)
  set(sort "")
  if(name MATCHES "^rewind_(library|executable)(.*)_headers$")
    set(sort "${CMAKE_MATCH_2}")
  else()
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    set(glue "commands|plugin|test/unit/(arch|browse|commands|export|expr)")
    string(APPEND glue "|test/unit/(profile|replay|types|view)")
    if(REWIND_SANITIZE AND folder MATCHES "^(${glue})")
      string(APPEND sort _glue)
    endif()
    if(REWIND_FUZZ AND name IN_LIST REWIND_FUZZED)
      string(APPEND sort _fuzzed)
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
    if(name STREQUAL rewind_commands)
      target_compile_options(${name} PRIVATE -O1 -finline-small-functions
        -findirect-inlining)
    elseif(folder MATCHES "^(commands/view|plugin)")
      target_compile_options(${name} PRIVATE -Og)
    endif()
  endif()
  if(sort MATCHES fuzzed)
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  if(REWIND_UNITY)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON)
    if(NOT folder MATCHES "^test")
      set_target_properties(${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 16)
    endif()
    # GCC warns of anonymous namespaces in any file but the main one. A tenth of
    # its time goes into looking for memory that it does not need back.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${name} PRIVATE -Wno-subobject-linkage
        --param=ggc-min-expand=1000 --param=ggc-min-heapsize=1000000)
    endif()
  endif()
  if(REWIND_PCH)
    # The same bug blames code in precompiled system headers.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${name} PRIVATE -Wno-array-bounds
        -Wno-stringop-overflow -Wno-stringop-overread)
    endif()
    rewind_precompile(${name})
  endif()
endfunction()

# rewind_alone(sources...): files in no batch, because they have names of their
# own for what others name alike, or headers that define what others mean.
function(rewind_alone)
  set_source_files_properties(${ARGN} PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# rewind_hot(sources...): what writes each row of a listing is optimised in first
# builds as in all others.
function(rewind_hot)
  if(REWIND_FAST_GLUE)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -O2
      SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# Code of executables (-fPIE) and of libraries (-fPIC) cannot share a precompiled
# header, nor can what is compiled with other options (rewind_sort): each kind has
# one, made with a target of its own.
function(rewind_precompile name)
  get_target_property(type ${name} TYPE)
  set(kind library)
  if(type STREQUAL "EXECUTABLE")
    set(kind executable)
  endif()
  rewind_sort(${name} sort)
  set(owner rewind_${kind}${sort}_headers)
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
    return()
  endif()
  if(NOT TARGET ${owner})
    set(empty ${CMAKE_BINARY_DIR}/${owner}.cpp)
    if(kind STREQUAL "library")
      file(CONFIGURE OUTPUT ${empty} CONTENT "")
      add_library(${owner} STATIC ${empty})
    else()
      file(CONFIGURE OUTPUT ${empty} CONTENT "int main() {}\n")
      add_executable(${owner} EXCLUDE_FROM_ALL ${empty})
    endif()
    target_link_libraries(${owner} PRIVATE rewind_llvm)
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

# rewind_formats(target folder...): the trace formats in these folders, and the
# list of them. A folder's CMakeLists.txt adds its sources to ${target}. Only
# what REWIND_FORMATS names may lack one: its code is in the library that the
# target links.
function(rewind_formats target)
  set(list "")
  set(names "")
  foreach(folder ${ARGN})
    get_filename_component(path "${folder}" ABSOLUTE)
    get_filename_component(name "${path}" NAME)
    if(NOT name MATCHES "^[A-Za-z][A-Za-z0-9_]*$")
      message(FATAL_ERROR "The trace format '${path}': its folder has the name "
        "of its namespace, and '${name}' cannot be one")
    endif()
    if(name IN_LIST names)
      message(FATAL_ERROR "The trace format '${path}': there is already one "
        "with the name '${name}'")
    endif()
    list(APPEND names ${name})
    string(APPEND list "REWIND_FORMAT(${name})\n")
    if(EXISTS "${path}/CMakeLists.txt")
      add_subdirectory("${path}" ${CMAKE_CURRENT_BINARY_DIR}/formats/${name})
    elseif(target STREQUAL rewind_formats OR
           NOT folder IN_LIST REWIND_FORMATS)
      if(NOT IS_DIRECTORY "${path}")
        message(FATAL_ERROR "The trace format '${path}': there is no such "
          "folder")
      endif()
      message(FATAL_ERROR "The trace format '${path}': its folder has no "
        "CMakeLists.txt, which names its sources")
    endif()
  endforeach()
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${target}-formats)
  file(CONFIGURE OUTPUT ${generated}/Formats.def CONTENT "${list}")
  target_include_directories(${target} PRIVATE ${generated})
  target_sources(${target} PRIVATE
    ${PROJECT_SOURCE_DIR}/core/formats/Registry.cpp)
  # Who has a list of its own leaves that of the library out, an object file.
  rewind_alone(${PROJECT_SOURCE_DIR}/core/formats/Registry.cpp)
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
