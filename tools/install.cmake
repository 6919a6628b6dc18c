# What is installed, and what wheels hold, laid out as the package's folder: the component `wheel` is what all of them
# hold; `libraries` and `cuda` are this machine's libraries, `portable` and `cuda-portable` those for others.
# Everything finds everything else by paths that are relative to itself, so a prefix can be moved; only programs that
# are linked with libcuprite.a look for plugins in the prefix that was configured.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/cuprite)
set(headers FILES_MATCHING PATTERN "*.h" PATTERN testing.h EXCLUDE)

install(TARGETS cuprite EXPORT cuprite LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET cuprite-static)
  install(TARGETS cuprite-static EXPORT cuprite ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()
foreach(t io cuda)
  if(TARGET cuprite-${t})
    install(TARGETS cuprite-${t} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()
if(TARGET cuprite-mpi)
  install(TARGETS cuprite-mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES mpi/include/cuprite/mpi.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cuprite)
endif()
if(TARGET cuprite-cli)
  install(TARGETS cuprite-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# --- the libraries of wheels ---
foreach(kind "" -portable)
  set(component libraries)
  if(kind)
    set(component portable)
  endif()
  set(only COMPONENT ${component} EXCLUDE_FROM_ALL)
  foreach(n cuprite io cli)
    string(REPLACE cuprite-cuprite cuprite t cuprite-${n}${kind})
    if(TARGET ${t})
      install(TARGETS ${t} LIBRARY DESTINATION cuprite/lib NAMELINK_SKIP ${only}
        RUNTIME DESTINATION cuprite/bin ${only})
    endif()
  endforeach()
  if(TARGET cuprite_python${kind})
    install(TARGETS cuprite_python${kind} LIBRARY DESTINATION cuprite ${only})
  endif()
  if(TARGET cuprite-cuda${kind})
    install(TARGETS cuprite-cuda${kind} LIBRARY DESTINATION cuprite/lib COMPONENT cuda${kind} EXCLUDE_FROM_ALL)
  endif()
endforeach()

# --- headers, pkg-config, CMake ---
install(FILES include/cuprite.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/cuprite ${GENERATED}/include/cuprite DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${headers})
install(EXPORT cuprite NAMESPACE cuprite:: FILE cupriteTargets.cmake DESTINATION ${package_folder})
configure_package_config_file(tools/cupriteConfig.cmake.in cupriteConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(cupriteConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cupriteConfig.cmake ${CMAKE_BINARY_DIR}/cupriteConfigVersion.cmake
  DESTINATION ${package_folder})
file(RELATIVE_PATH pkgconfig_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
set(needed "${sleef} -lm -lpthread -ldl")
set(libraries "-L\${libdir} -Wl,-rpath,\${libdir} -lcuprite")
configure_file(tools/cuprite.pc.in cuprite.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/cuprite.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TARGET cuprite-static)
  set(libraries "\${libdir}/libcuprite.a ${needed}")
  configure_file(tools/cuprite.pc.in cuprite-static.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/cuprite-static.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

# --- the Python module ---
if(TARGET cuprite_python)
  set(python_parts FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN py.typed PATTERN __pycache__ EXCLUDE)
  install(TARGETS cuprite_python LIBRARY DESTINATION ${module_folder}/cuprite)
  install(DIRECTORY python/cuprite DESTINATION ${module_folder} ${python_parts})
  install(DIRECTORY python/cuprite DESTINATION . COMPONENT wheel EXCLUDE_FROM_ALL ${python_parts})
  install(DIRECTORY ${GENERATED}/python/cuprite DESTINATION ${module_folder} ${python_parts})
  install(DIRECTORY ${GENERATED}/python/cuprite DESTINATION . COMPONENT wheel EXCLUDE_FROM_ALL ${python_parts})
  install(CODE "message(STATUS \"Python finds the module with PYTHONPATH=\${CMAKE_INSTALL_PREFIX}/${module_folder}\")")
endif()

# --- lessons ---
if(TARGET cuprite_python)
  set(lesson_parts FILES_MATCHING PATTERN "*.ipynb" PATTERN "*.py" PATTERN "*.[ch]" PATTERN __pycache__ EXCLUDE
    PATTERN text EXCLUDE)
  install(DIRECTORY lessons DESTINATION ${module_folder}/cuprite ${lesson_parts})
  install(DIRECTORY lessons DESTINATION cuprite COMPONENT wheel EXCLUDE_FROM_ALL ${lesson_parts})
endif()

# --- manual pages, made as they are installed ---
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/man)
install(CODE "execute_process(COMMAND ${CMAKE_COMMAND} -E env BUILD=${CMAKE_BINARY_DIR}
  ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/make_man.py ${CMAKE_BINARY_DIR}/man COMMAND_ERROR_IS_FATAL ANY)")
install(DIRECTORY ${CMAKE_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
