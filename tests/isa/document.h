// The page docs/isa.md.
#ifndef KNC_TESTS_ISA_DOCUMENT_H
#define KNC_TESTS_ISA_DOCUMENT_H

#include <string>
#include <vector>

#include "survey.h"

namespace knc::isa::test {

std::string document(const std::vector<entry>&);

}  // namespace knc::isa::test

#endif
