# Installs the library as CMake package `knc` and as pkg-config module `knc`.
#
# Consumers get the archives, the headers, C++17 and the usage of SystemC, fmt, Zydis, MPFR and threads; no
# warning or sanitizer flag of this project. The archives hold ordinary code only, whatever compiler links them.
# No header lies in a folder named tlm or sysc, which belong to SystemC.

include(CMakePackageConfigHelpers)

# knc_install_package(PARTS...): PARTS are the directories of models/knc, dependencies first.
function(knc_install_package)
    set(destination "${CMAKE_INSTALL_LIBDIR}/cmake/knc")
    list(TRANSFORM ARGN PREPEND knc_ OUTPUT_VARIABLE targets)
    install(TARGETS ${targets} knc_models EXPORT knc-targets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
    if(KNC_LTO_USED)
        # What only the same compiler could use, and would without being asked.
        install(CODE "
            file(GLOB archives \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/libknc_*.a\")
            foreach(archive IN LISTS archives)
                execute_process(COMMAND \"${CMAKE_OBJCOPY}\" --remove-section=.gnu.lto_* \"\${archive}\"
                    COMMAND_ERROR_IS_FATAL ANY)
            endforeach()")
    endif()
    install(EXPORT knc-targets NAMESPACE knc:: DESTINATION "${destination}")
    install(DIRECTORY knc DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.h" PATTERN "*.def")

    configure_package_config_file(cmake/knc-config.cmake.in knc-config.cmake INSTALL_DESTINATION "${destination}")
    write_basic_package_version_file(knc-config-version.cmake COMPATIBILITY SameMinorVersion)
    install(FILES "${CMAKE_CURRENT_BINARY_DIR}/knc-config.cmake"
        "${CMAKE_CURRENT_BINARY_DIR}/knc-config-version.cmake" cmake/knc_systemc.cmake DESTINATION "${destination}")

    # A linker resolves archives left to right: users before what they use. Debian's Zydis has no
    # pkg-config file, so it is named by library.
    set(KNC_PC_LIBS "-lZydis -lZycore")
    foreach(part IN LISTS ARGN)
        get_target_property(type knc_${part} TYPE)
        if(type STREQUAL STATIC_LIBRARY)
            set(KNC_PC_LIBS "-lknc_${part} ${KNC_PC_LIBS}")
        endif()
    endforeach()
    # The prefix is told relative to the file, so that the installed tree can be moved.
    set(pc_directory "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
    file(RELATIVE_PATH KNC_PC_UP "/${pc_directory}" "/")
    string(REGEX REPLACE "/$" "" KNC_PC_UP "${KNC_PC_UP}")
    configure_file(cmake/knc.pc.in knc.pc @ONLY)
    install(FILES "${CMAKE_CURRENT_BINARY_DIR}/knc.pc" DESTINATION "${pc_directory}")
endfunction()
