# Language level, warnings, sanitizers and optimisation of everything this project compiles.
#
# knc_add_library(NAME SOURCES... ) and knc_target_options(TARGET) keep these private: nothing of
# them reaches a consumer of the installed package except the language level.

if(NOT DEFINED CMAKE_CXX_STANDARD)
    set(CMAKE_CXX_STANDARD 17)
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

if(PROJECT_IS_TOP_LEVEL)
    find_program(KNC_CCACHE ccache)
    if(KNC_CCACHE)
        # Without this, it keeps nothing that is compiled with precompiled headers.
        set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${KNC_CCACHE}")
    endif()
endif()

# The program is optimised across all its files when it is linked. The archives hold what that takes
# beside their ordinary code, which tests are linked from: their links stay quick.
if(KNC_LTO AND PROJECT_IS_TOP_LEVEL AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release"
    AND NOT KNC_SANITIZE)
    set(KNC_LTO_USED ON)
endif()

function(knc_lto_options target whole_program)
    get_target_property(type ${target} TYPE)
    if(whole_program OR type STREQUAL "STATIC_LIBRARY")
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-flto=auto -ffat-lto-objects>)
    endif()
    if(whole_program)
        target_link_options(${target} PRIVATE -flto=auto)
    elseif(NOT type STREQUAL "STATIC_LIBRARY")
        target_link_options(${target} PRIVATE -fno-lto)
    endif()
endfunction()

# Profile-guided optimisation with GCC. generate: what is built counts its branches and calls, and writes the counts beside
# its objects when it ends. use: the same build tree again, optimised by these counts.
set(KNC_PROFILE "" CACHE STRING "Profile-guided optimisation (GCC): generate, use or nothing")
set_property(CACHE KNC_PROFILE PROPERTY STRINGS "" generate use)
if(KNC_PROFILE AND NOT (KNC_PROFILE MATCHES "^(generate|use)$" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU"))
    message(FATAL_ERROR "KNC_PROFILE is generate or use, and takes GCC")
endif()

function(knc_profile_options target)
    if(KNC_PROFILE STREQUAL "generate")
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fprofile-generate -fprofile-update=prefer-atomic>)
        target_link_options(${target} PUBLIC -fprofile-generate)
    else()
        # Code that the training has not reached is optimised as without a profile.
        target_compile_options(${target} PRIVATE
            $<$<COMPILE_LANGUAGE:CXX>:-fprofile-use -fprofile-partial-training -fprofile-correction -Wno-missing-profile>)
    endif()
endfunction()

# Interface-free options of a target compiled here. WHOLE_PROGRAM: an executable to be optimised when
# it is linked. APART: an archive that takes no part in that, as nothing of it runs often.
function(knc_target_options target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "WHOLE_PROGRAM;APART" "" "")
    # Code for shared libraries, but no function of it is meant to be replaced by another one.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-semantic-interposition>)
    if(KNC_LTO_USED AND NOT arg_APART)
        knc_lto_options(${target} ${arg_WHOLE_PROGRAM})
    endif()
    if(KNC_PROFILE AND NOT arg_APART)
        knc_profile_options(${target})
    endif()
    target_compile_options(${target} PRIVATE
        $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion>)
    if(KNC_SANITIZE)
        # Assertions stay: a run that looks for errors shall see these too.
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${KNC_SANITIZE}
            -fno-sanitize-recover=all -fno-omit-frame-pointer -UNDEBUG>)
        if(KNC_SANITIZE MATCHES "undefined" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
            # GCC 12 devirtualizes calls of TLM sockets to code that this sanitizer takes for unreachable.
            target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-devirtualize>)
        endif()
        target_link_options(${target} PUBLIC -fsanitize=${KNC_SANITIZE})
    elseif(NOT KNC_PROFILE)
        # Instrumented code draws warnings that the plain one does not, and so does inlining by a profile.
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
    endif()
endfunction()
