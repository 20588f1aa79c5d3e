# Compiler settings that all of Rewind's own code shares.
function(rewind_target name)
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE -Wall -Wextra -Werror -fno-rtti)
  if(REWIND_SANITIZE)
    target_compile_options(${name} PUBLIC -fsanitize=${REWIND_SANITIZE}
      -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    target_link_options(${name} PUBLIC -fsanitize=${REWIND_SANITIZE})
  endif()
endfunction()

# rewind_core_library(name sources... LINK libs...): one room of core.
function(rewind_core_library name)
  cmake_parse_arguments(A "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${A_UNPARSED_ARGUMENTS})
  rewind_target(${name})
  target_link_libraries(${name} PUBLIC rewind_llvm Threads::Threads ${A_LINK})
endfunction()
