# -Wall -Wextra -Werror is held with these compilers; scripts/test uses both.
if(NOT (CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND
        CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12) AND
   NOT (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND
        CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 16))
  message(FATAL_ERROR "Rewind needs g++ >= 12 or clang >= 16, not "
    "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
endif()

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(CCACHE_PROGRAM ccache)
  if(CCACHE_PROGRAM)
    set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  endif()
endif()

# Compiler settings that all of Rewind's own code shares.
function(rewind_target name)
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE -Wall -Wextra -Werror -fno-rtti)
  # std::stable_sort of libstdc++ 12 calls what C++20 deprecates, and clang
  # blames the caller.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${name} PRIVATE -Wno-deprecated-declarations)
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
  if(REWIND_FUZZ)
    target_compile_options(${name} PUBLIC -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# rewind_core_library(name sources... LINK libs...): one room of core.
function(rewind_core_library name)
  cmake_parse_arguments(A "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${A_UNPARSED_ARGUMENTS})
  rewind_target(${name})
  target_link_libraries(${name} PUBLIC rewind_llvm Threads::Threads ${A_LINK})
endfunction()
