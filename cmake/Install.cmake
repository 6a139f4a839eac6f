# What `cmake --install` puts where, and the target that builds just that.
include(CMakePackageConfigHelpers)

add_custom_target(headrace_installed)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/headrace)
# Relative, so that `cmake --install --prefix` and a moved installation work.
file(RELATIVE_PATH pkgconfig_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)

foreach(mpi openmpi mpich)
  if(NOT TARGET headrace_library_${mpi})
    continue()
  endif()
  add_dependencies(headrace_installed headrace_library_${mpi})
  set_target_properties(headrace_library_${mpi} PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} EXPORT_NAME ${mpi})
  install(TARGETS headrace_library_${mpi} EXPORT headraceTargets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  configure_file(cmake/headrace.pc.in headrace-${mpi}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/headrace-${mpi}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  set(headrace_has_libraries ON)
endforeach()

foreach(aid headrace_mpich_yield headrace_mpich_finish)
  if(TARGET ${aid})
    add_dependencies(headrace_installed ${aid})
    install(TARGETS ${aid} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()
if(HEADRACE_BENCH)
  set(benchmark_programs headrace_plan_command)
  foreach(mpi ${HEADRACE_MPIS})
    list(APPEND benchmark_programs headrace_bench_${mpi})
  endforeach()
  add_dependencies(headrace_installed ${benchmark_programs})
  install(TARGETS ${benchmark_programs} RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/headrace)
endif()

if(headrace_has_libraries)
  install(FILES include/headrace/headrace.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/headrace)
  install(EXPORT headraceTargets NAMESPACE headrace:: DESTINATION ${package_dir})
  write_basic_package_version_file(headraceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES cmake/headraceConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/headraceConfigVersion.cmake
          DESTINATION ${package_dir})
endif()
