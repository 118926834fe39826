# Installs BUILD to the empty PREFIX and looks at what was installed.

cmake_minimum_required(VERSION 3.20)
file(REMOVE_RECURSE "${PREFIX}")
execute_process(COMMAND ${CMAKE_COMMAND} --install "${BUILD}" --prefix "${PREFIX}" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

file(GLOB_RECURSE files RELATIVE "${PREFIX}" "${PREFIX}/*")
foreach(file IN LISTS files)
    # Folders of that name belong to SystemC.
    if(file MATCHES "/(tlm|sysc)/")
        message(SEND_ERROR "${file} lies in a folder of SystemC's")
    endif()
    # What is installed must not know where it was built.
    if(file MATCHES "\\.(cmake|pc|h|def)$")
        file(READ "${PREFIX}/${file}" text)
        string(FIND "${text}" "${BUILD}" at)
        if(NOT at EQUAL -1)
            message(SEND_ERROR "${file} names the build directory")
        endif()
    endif()
endforeach()
foreach(wanted include/knc/card/card.h include/knc/base/events.def bin/knc-vp)
    if(NOT wanted IN_LIST files)
        message(SEND_ERROR "${wanted} is not installed")
    endif()
endforeach()
if(NOT files MATCHES "cmake/knc/knc-config\\.cmake" OR NOT files MATCHES "pkgconfig/knc\\.pc")
    message(SEND_ERROR "no package file is installed")
endif()
