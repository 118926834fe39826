// The name of base::archive, for headers that only declare serialize().
#ifndef KNC_BASE_ARCHIVE_FORWARD_H
#define KNC_BASE_ARCHIVE_FORWARD_H

namespace knc::base {

class archive;

}  // namespace knc::base

#endif
