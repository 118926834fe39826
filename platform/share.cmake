# knc_share(KIND): the TOML files of this directory, in share/knc/KIND in the build tree beside bin/, and after
# installation. A file names an image relative to itself, so each copy has another path in it.

function(knc_share kind)
    set(source "../../build/release/sw/")
    # Fixed, since the program looks for it there.
    set(share "share/knc")
    file(GLOB files CONFIGURE_DEPENDS *.toml)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
    set(names "")
    set(found "")
    foreach(file IN LISTS files)
        get_filename_component(name "${file}" NAME)
        list(APPEND names "${name}")
        file(READ "${file}" text)
        if(NOT text MATCHES "\nimage = \"${source}([a-z_0-9]+\\.elf)\"\n")
            message(FATAL_ERROR "${file}: an image ${source}NAME.elf is wanted")
        endif()
        list(APPEND found "${CMAKE_MATCH_1}")
        foreach(copy IN ITEMS "build:../../../sw/" "installed:../images/")
            string(REGEX REPLACE ":.*" "" directory "${copy}")
            string(REGEX REPLACE ".*:" "" path "${copy}")
            if(directory STREQUAL "build")
                set(directory "${PROJECT_BINARY_DIR}/share/knc/${kind}")
            else()
                set(directory "${CMAKE_CURRENT_BINARY_DIR}/installed")
            endif()
            string(REPLACE "\nimage = \"${source}" "\nimage = \"${path}" moved "${text}")
            file(CONFIGURE OUTPUT "${directory}/${name}" CONTENT "${moved}" @ONLY)
        endforeach()
    endforeach()

    # No copy of a file that is gone.
    file(GLOB copies "${PROJECT_BINARY_DIR}/share/knc/${kind}/*.toml" "${CMAKE_CURRENT_BINARY_DIR}/installed/*.toml")
    foreach(copy IN LISTS copies)
        get_filename_component(name "${copy}" NAME)
        if(NOT name IN_LIST names)
            file(REMOVE "${copy}")
        endif()
    endforeach()

    install(DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/installed/" DESTINATION "${share}/${kind}"
        FILES_MATCHING PATTERN "*.toml")
    # Firmware needs an x86-64 compiler and may be left out.
    list(REMOVE_DUPLICATES found)
    list(TRANSFORM found PREPEND "${PROJECT_BINARY_DIR}/sw/")
    install(FILES ${found} DESTINATION "${share}/images" OPTIONAL)
endfunction()
