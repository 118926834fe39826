# Finds SystemC (pkg-config first, as distributions ship it, then its own CMake package) and makes
# the imported target knc::systemc. Stops with the fix when the library was built for another C++
# standard than this project uses: SystemC encodes the standard in a symbol every user must match.

if(TARGET knc::systemc)
    return()
endif()

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
    pkg_check_modules(KNC_SYSTEMC QUIET IMPORTED_TARGET GLOBAL systemc)
endif()
if(TARGET PkgConfig::KNC_SYSTEMC)
    set(knc_systemc_target PkgConfig::KNC_SYSTEMC)
else()
    find_package(SystemCLanguage CONFIG QUIET)
    if(NOT TARGET SystemC::systemc)
        message(FATAL_ERROR "SystemC not found, neither by pkg-config (systemc.pc) nor as CMake package "
            "SystemCLanguage. On Debian: apt-get install libsystemc-dev; elsewhere set PKG_CONFIG_PATH or CMAKE_PREFIX_PATH.")
    endif()
    set(knc_systemc_target SystemC::systemc)
endif()

add_library(knc::systemc INTERFACE IMPORTED GLOBAL)
set_target_properties(knc::systemc PROPERTIES INTERFACE_LINK_LIBRARIES "${knc_systemc_target}")

set(knc_probe "${CMAKE_CURRENT_BINARY_DIR}/knc_systemc_probe.cpp")
file(WRITE "${knc_probe}" "#include <systemc>\nint sc_main(int, char**) { return 0; }\n")
if(NOT KNC_SYSTEMC_LINKS STREQUAL "${CMAKE_CXX_STANDARD}")
    try_compile(knc_systemc_links "${CMAKE_CURRENT_BINARY_DIR}/knc_systemc_probe" "${knc_probe}"
        LINK_LIBRARIES ${knc_systemc_target}
        CXX_STANDARD ${CMAKE_CXX_STANDARD} CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
        OUTPUT_VARIABLE knc_systemc_output)
    if(NOT knc_systemc_links)
        if(knc_systemc_output MATCHES "sc_api_version")
            message(FATAL_ERROR "The SystemC library was built for another C++ standard than C++${CMAKE_CXX_STANDARD}. "
                "Debian's is C++17: configure with -DCMAKE_CXX_STANDARD=17, or use a SystemC built with -std=c++${CMAKE_CXX_STANDARD}.")
        endif()
        message(FATAL_ERROR "A minimal SystemC program does not link:\n${knc_systemc_output}")
    endif()
    set(KNC_SYSTEMC_LINKS "${CMAKE_CXX_STANDARD}" CACHE INTERNAL "C++ standard the SystemC library was seen to link with")
endif()
