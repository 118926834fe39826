# Test sources whose inline assembly has instructions of the card.

# knc_vector_objects(NAME SOURCES... LIBRARIES LIBRARIES...)
#
# NAME is an object library. The GNU assembler does not know the vector unit's instructions, so what the
# compiler calls as its assembler, found by -B, is a script that runs knc-as first. Clang would assemble
# by itself. The objects depend on knc-as, and ccache does not: it would return those of an older one.
function(knc_vector_objects name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES")
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-prog-name=as OUTPUT_VARIABLE assembler
        OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    set(directory ${CMAKE_CURRENT_BINARY_DIR}/${name}_assembler)
    set(KNC_AS "$<TARGET_FILE:knc-as>")
    set(KNC_GNU_AS ${assembler})
    configure_file(${PROJECT_SOURCE_DIR}/tests/cmake/as.sh.in ${directory}/as.sh.in @ONLY)
    file(GENERATE OUTPUT ${directory}/as.sh INPUT ${directory}/as.sh.in FILE_PERMISSIONS
        OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    # A new one with each knc-as.
    add_custom_command(OUTPUT ${directory}/bin/as
        COMMAND ${CMAKE_COMMAND} -E make_directory ${directory}/bin
        COMMAND ${CMAKE_COMMAND} -E copy ${directory}/as.sh ${directory}/bin/as
        DEPENDS ${directory}/as.sh knc-as VERBATIM)

    add_library(${name} OBJECT ${arg_UNPARSED_ARGUMENTS} ${directory}/bin/as)
    target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} test_support)
    target_compile_options(${name} PRIVATE -B${directory}/bin/
        $<$<CXX_COMPILER_ID:Clang>:-fno-integrated-as>)
    set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER "")
    set_source_files_properties(${arg_UNPARSED_ARGUMENTS} PROPERTIES OBJECT_DEPENDS ${directory}/bin/as)
    knc_test_options(${name})
    if("GTest::gtest" IN_LIST arg_LIBRARIES)
        target_precompile_headers(${name} REUSE_FROM test_main)
    endif()
endfunction()
