# Makes page_assets.cpp: the style, the script with the library of charts, and the licence of that.
#
# The library is Chart.js, of Debian's package libjs-chart.js. CHART_JS and CHART_JS_LICENCE name other files.

find_file(CHART_JS chart.min.js PATHS /usr/share/javascript/chart.js NO_DEFAULT_PATH)
find_file(CHART_JS_LICENCE copyright PATHS /usr/share/doc/libjs-chart.js NO_DEFAULT_PATH)
if(NOT CHART_JS OR NOT CHART_JS_LICENCE)
    message(FATAL_ERROR "Chart.js is missing: install libjs-chart.js, or set CHART_JS and CHART_JS_LICENCE to its files")
endif()

# base64(RESULT HEX): the base64 form of bytes in hexadecimal.
function(base64 result hex)
    set(digits "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    string(LENGTH "${hex}" length)
    set(text "")
    foreach(at RANGE 0 ${length} 6)
        string(SUBSTRING "${hex}" ${at} 6 bytes)
        string(LENGTH "${bytes}" size)
        if(size EQUAL 0)
            break()
        endif()
        # Three bytes are four digits; missing ones are 0, and `=` at the end.
        string(SUBSTRING "${bytes}000000" 0 6 bytes)
        foreach(digit RANGE 0 3)
            if(digit GREATER_EQUAL 2 AND size LESS_EQUAL 2 OR digit EQUAL 3 AND size LESS 6)
                string(APPEND text "=")
            else()
                math(EXPR value "(0x${bytes} >> (18 - 6 * ${digit})) & 63")
                string(SUBSTRING "${digits}" ${value} 1 character)
                string(APPEND text "${character}")
            endif()
        endforeach()
    endforeach()
    set(${result} "${text}" PARENT_SCOPE)
endfunction()

set(page_files page.css base.js history.js stack.js heat.js flame.js interrupts.js main.js sweep.js)
list(TRANSFORM page_files PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/page/")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page_files} "${CHART_JS}" "${CHART_JS_LICENCE}")

# page_script(NAME FILE...): sets KNC_NAME_SCRIPT to the library with these files of page/, KNC_NAME_HASH to its hash.
function(page_script name)
    # In a comment of the script, so that the page is HTML and XML.
    set(script "//<![CDATA[\n")
    list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/page/")
    foreach(file "${CHART_JS}" ${ARGN})
        file(READ "${file}" text)
        string(APPEND script "${text}\n")
    endforeach()
    string(APPEND script "//]]>")
    if(script MATCHES "</script|]]>.*]]>")
        message(FATAL_ERROR "${CHART_JS} cannot be part of a page")
    endif()
    string(SHA256 hash "${script}")
    base64(hash "${hash}")
    set(KNC_${name}_SCRIPT "${script}" PARENT_SCOPE)
    set(KNC_${name}_HASH "${hash}" PARENT_SCOPE)
endfunction()

file(READ "${CMAKE_CURRENT_SOURCE_DIR}/page/page.css" KNC_PAGE_STYLE)
file(READ "${CHART_JS_LICENCE}" KNC_CHART_LICENCE)
page_script(PAGE base.js history.js stack.js heat.js flame.js interrupts.js main.js)
page_script(SWEEP base.js sweep.js)
configure_file(page_assets.cpp.in page_assets.cpp @ONLY)

install(FILES "${CHART_JS_LICENCE}" DESTINATION "${CMAKE_INSTALL_DOCDIR}" RENAME LICENSE.Chart.js)
