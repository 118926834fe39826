# How an image is built: C to assembly, assembly rewritten for a core without CMOV, instructions that only the
# card has turned into bytes, assembled, linked by boot/image.ld, and the result checked for instructions
# outside the profile. The commands name the compiler directly because CMake has no step between compiling
# and assembling.

set(KNC_FW_FLAGS -m64 -march=x86-64 -mtune=generic -ffreestanding -fno-pic -mcmodel=small -mno-red-zone
    -mgeneral-regs-only -fcf-protection=none -fno-stack-protector -fno-asynchronous-unwind-tables
    -fno-tree-loop-distribute-patterns -ffunction-sections -fdata-sections
    -falign-functions=1 -falign-loops=1 -falign-jumps=1 -falign-labels=1)
set(KNC_FW_C_FLAGS -std=gnu17 -O2 -g ${KNC_FW_FLAGS} -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
    -Wstrict-prototypes -Werror)
set(KNC_FW_INCLUDES -I${CMAKE_CURRENT_SOURCE_DIR} -I${CMAKE_CURRENT_BINARY_DIR}/include)
set(KNC_FW_SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/boot/image.ld)
set(KNC_FW_LINK ${CMAKE_C_COMPILER} -m64 -nostdlib -static -no-pie -Wl,-T,${KNC_FW_SCRIPT} -Wl,--gc-sections
    -Wl,--build-id=none -Wl,-z,noexecstack -Wl,-z,max-page-size=4096)
set(KNC_FW_EVENTS ${CMAKE_CURRENT_BINARY_DIR}/include/drivers/pmu/pmu_events.h)
set(KNC_FW_METRICS ${CMAKE_CURRENT_BINARY_DIR}/include/drivers/pmu/pmu_metrics.inc)

# knc_fw_object(VARIABLE SOURCE): appends the object of SOURCE to the list VARIABLE. SOURCE is C (.c), assembly
# whose CMOVs stay (.S), or assembly that is rewritten as the compiler's is (.s). C is compiled with the property
# COMPILE_OPTIONS of the source, too.
function(knc_fw_object variable source)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/obj/${source}.o)
    set(input ${CMAKE_CURRENT_SOURCE_DIR}/${source})
    cmake_path(GET object PARENT_PATH directory)
    file(MAKE_DIRECTORY ${directory})
    set(dependencies -MD -MF ${object}.d -MT ${object})
    # A path from the source tree in place of the absolute one: in debug information and __FILE__.
    set(prefix -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
    set(assemble COMMAND knc-as ${object}.card.s ${object}.s
        COMMAND ${CMAKE_C_COMPILER} -m64 ${prefix})
    if(source MATCHES "\\.S$")
        add_custom_command(OUTPUT ${object}
            COMMAND ${CMAKE_C_COMPILER} ${KNC_FW_FLAGS} ${KNC_FW_INCLUDES} ${prefix} ${dependencies}
                -E ${input} -o ${object}.card.s
            ${assemble} -g -c ${object}.s -o ${object}
            DEPENDS ${input} knc-as DEPFILE ${object}.d VERBATIM)
    elseif(source MATCHES "\\.s$")
        add_custom_command(OUTPUT ${object}
            COMMAND asm_rewrite ${input} ${object}.card.s
            ${assemble} -c ${object}.s -o ${object}
            DEPENDS ${input} asm_rewrite knc-as VERBATIM)
    else()
        get_source_file_property(options ${source} COMPILE_OPTIONS)
        if(NOT options)
            set(options "")
        endif()
        add_custom_command(OUTPUT ${object}
            COMMAND ${CMAKE_C_COMPILER} ${KNC_FW_C_FLAGS} ${options} ${KNC_FW_INCLUDES} ${prefix} ${dependencies}
                -S ${input} -o ${object}.gcc.s
            COMMAND asm_rewrite ${object}.gcc.s ${object}.card.s
            ${assemble} -c ${object}.s -o ${object}
            DEPENDS ${input} asm_rewrite knc-as ${KNC_FW_EVENTS} ${KNC_FW_METRICS} DEPFILE ${object}.d VERBATIM)
    endif()
    set(${variable} ${${variable}} ${object} PARENT_SCOPE)
endfunction()

# knc_fw_image(NAME SOURCES... [PROFILE compat]): NAME.elf, and NAME.elf32 for PC-like machines. With PROFILE, NAME.elf may
# have the instructions of that one.
function(knc_fw_image name)
    cmake_parse_arguments(PARSE_ARGV 1 fw "" "PROFILE" "")
    set(profile)
    if(fw_PROFILE)
        set(profile --profile ${fw_PROFILE})
    endif()
    set(objects)
    foreach(source ${fw_UNPARSED_ARGUMENTS})
        knc_fw_object(objects ${source})
    endforeach()
    set(script ${KNC_FW_SCRIPT})
    set(link ${KNC_FW_LINK})
    set(image ${CMAKE_CURRENT_BINARY_DIR}/${name}.elf)
    add_custom_command(OUTPUT ${image}
        COMMAND ${link} -o ${image}.unchecked ${objects} ${KNC_FW_LIBRARY} ${KNC_FW_PLATFORM_KNC}
        COMMAND isa_check ${profile} ${image}.unchecked
        COMMAND ${CMAKE_COMMAND} -E rename ${image}.unchecked ${image}
        DEPENDS ${objects} ${KNC_FW_LIBRARY} ${KNC_FW_PLATFORM_KNC} ${script} isa_check VERBATIM)
    set(compat ${CMAKE_CURRENT_BINARY_DIR}/${name}.elf32)
    add_custom_command(OUTPUT ${compat}
        COMMAND ${link} -o ${compat}.64 ${objects} ${KNC_FW_LIBRARY} ${KNC_FW_PLATFORM_COMPAT}
        COMMAND ${CMAKE_OBJCOPY} --strip-debug -O elf32-i386 ${compat}.64 ${compat}
        BYPRODUCTS ${compat}.64
        DEPENDS ${objects} ${KNC_FW_LIBRARY} ${KNC_FW_PLATFORM_COMPAT} ${script} VERBATIM)
    add_custom_target(sw_${name} ALL DEPENDS ${image} ${compat})
    add_dependencies(sw_${name} sw_library)
    add_dependencies(sw sw_${name})
endfunction()

# knc_fw_tool(): the program knc-image, which makes images of sources elsewhere by the same steps.
function(knc_fw_tool)
    set(bin ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
    foreach(pair IN ITEMS flags=KNC_FW_FLAGS c_flags=KNC_FW_C_FLAGS includes=KNC_FW_INCLUDES link=KNC_FW_LINK)
        string(REGEX MATCH "(.*)=(.*)" pair ${pair})
        list(JOIN ${CMAKE_MATCH_2} " " ${CMAKE_MATCH_1})
    endforeach()
    list(JOIN KNC_FW_LIBRARY " " library)
    string(APPEND library " ${KNC_FW_PLATFORM_KNC}")
    configure_file(tools/knc-image.in ${bin}/knc-image @ONLY
        FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endfunction()

# knc_fw_image32(NAME SCRIPT SOURCES... [PROFILE profile]): NAME.elf, a 32-bit image that stands alone, of
# instructions that the profile (knc) has.
function(knc_fw_image32 name script)
    cmake_parse_arguments(PARSE_ARGV 2 fw "" "PROFILE" "")
    set(ARGN ${fw_UNPARSED_ARGUMENTS})
    set(profile)
    if(fw_PROFILE)
        set(profile --profile ${fw_PROFILE})
    endif()
    set(script ${CMAKE_CURRENT_SOURCE_DIR}/${script})
    list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    cmake_path(GET script PARENT_PATH directory)
    file(GLOB headers CONFIGURE_DEPENDS "${directory}/*.h")
    set(image ${CMAKE_CURRENT_BINARY_DIR}/${name}.elf)
    add_custom_command(OUTPUT ${image}
        COMMAND ${CMAKE_C_COMPILER} -std=gnu17 -O2 -g -m32 -march=i586 -ffreestanding -fno-pic -mgeneral-regs-only
            -fcf-protection=none -fno-stack-protector -fno-asynchronous-unwind-tables
            -fno-tree-loop-distribute-patterns -falign-functions=1 -falign-loops=1 -falign-jumps=1 -falign-labels=1
            -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Werror -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=
            ${KNC_FW_INCLUDES}
            -nostdlib -static -no-pie -Wl,-T,${script} -Wl,--build-id=none -Wl,-z,noexecstack
            -Wl,-z,max-page-size=4096 -o ${image}.unchecked ${ARGN}
        COMMAND isa_check ${profile} ${image}.unchecked
        COMMAND ${CMAKE_COMMAND} -E rename ${image}.unchecked ${image}
        DEPENDS ${ARGN} ${headers} ${script} isa_check VERBATIM)
    add_custom_target(sw_${name} ALL DEPENDS ${image})
    add_dependencies(sw sw_${name})
endfunction()
