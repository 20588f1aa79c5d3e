# lib/librewind-lldb.so, an lldbinit that loads it, the Python module. Programs install
# themselves.
set(REWIND_PLUGIN_PATH ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/librewind-lldb.so)
configure_file(scripts/lldbinit.in ${CMAKE_BINARY_DIR}/lldbinit @ONLY)
if(REWIND_PLUGIN)
  install(TARGETS rewind-lldb DESTINATION lib)
  # The prefix is known only at the time of installation.
  install(CODE "
    set(REWIND_PLUGIN_PATH \"\${CMAKE_INSTALL_PREFIX}/lib/librewind-lldb.so\")
    configure_file(\"${PROJECT_SOURCE_DIR}/scripts/lldbinit.in\"
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/rewind/lldbinit\" @ONLY)")
endif()
# The Python module, for LLDB's Python (`command script import`) and any other.
install(DIRECTORY scripts/python/rewind DESTINATION share/rewind/python
  FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
# Where bash-completion, fish and zsh look below /usr and /usr/local. Debian's zsh
# has another folder for what packages bring.
install(FILES scripts/completion/rewind.bash
  DESTINATION share/bash-completion/completions RENAME rewind)
install(FILES scripts/completion/rewind.fish
  DESTINATION share/fish/vendor_completions.d)
install(CODE "
  set(folder site-functions)
  if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
    set(folder vendor-completions)
  endif()
  file(INSTALL \"${PROJECT_SOURCE_DIR}/scripts/completion/rewind.zsh\"
    DESTINATION \"\${CMAKE_INSTALL_PREFIX}/share/zsh/\${folder}\" RENAME _rewind)")
