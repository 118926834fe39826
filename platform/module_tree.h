// The tree of a card's modules, with what their sockets and ports are connected to.
#ifndef KNC_PLATFORM_MODULE_TREE_H
#define KNC_PLATFORM_MODULE_TREE_H

#include <iosfwd>

#include <systemc>

namespace platform {

// Writes `root` and the modules below it, one to a line with its class, each followed by its
// sockets, ports and exports: "socket -> whom it calls". Elaboration is over.
void write_module_tree(const sc_core::sc_module& root, std::ostream&);

}  // namespace platform

#endif
