#include <platform/module_tree.h>

#include <cstdlib>
#include <cxxabi.h>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <typeinfo>
#include <vector>

#include <fmt/format.h>
#include <tlm>

#include <knc/base/clocked_if.h>
#include <knc/card/ports.h>
#include <knc/coherence/types.h>

namespace platform {

namespace {

using sc_core::sc_interface;
using sc_core::sc_object;

std::string type_name(const sc_object& o) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text{
        abi::__cxa_demangle(typeid(o).name(), nullptr, nullptr, &status), &std::free};
    return status == 0 ? text.get() : typeid(o).name();
}
std::string class_name(const sc_object& o) {
    const std::string name = type_name(o), prefix = "knc::";
    return name.rfind(prefix, 0) == 0 ? name.substr(prefix.size()) : name;
}
// The IF of an sc_port<IF, ...> or sc_export<IF>; empty if the object is of another class.
std::string interface_type(const sc_object& o) {
    const std::string name = type_name(o);
    for (const std::string start : {"sc_core::sc_port<", "sc_core::sc_export<"})
        if (name.rfind(start, 0) == 0)
            return name.substr(start.size(), name.find_first_of(",>", start.size()) - start.size());
    return {};
}

// A TLM-2.0 socket is a port and an export: the second of them has the name of the first with one
// of these endings.
bool is_half_of_socket(const std::string& name) {
    return name.find("_export_") != std::string::npos || name.find("_port_") != std::string::npos;
}
std::string socket_of(std::string name) {
    for (const char* ending : {"_export_", "_port_"})
        if (const auto at = name.rfind(ending); at != std::string::npos) name.erase(at);
    return name;
}

// All interfaces bound to a port, if it is of this type.
template <class Interface>
void add_interfaces(const sc_object& o, std::vector<const sc_interface*>& found) {
    const auto* port = dynamic_cast<const sc_core::sc_port_b<Interface>*>(&o);
    if (port == nullptr) return;
    for (int n = 0; n < port->size(); ++n) found.push_back((*port)[n]);
}

std::vector<const sc_interface*> interfaces_of(const sc_object& port) {
    std::vector<const sc_interface*> found;
    add_interfaces<tlm::tlm_fw_transport_if<>>(port, found);
    add_interfaces<tlm::tlm_bw_transport_if<>>(port, found);
    add_interfaces<tlm::tlm_fw_transport_if<knc::coherence::coherence_types>>(port, found);
    add_interfaces<tlm::tlm_bw_transport_if<knc::coherence::coherence_types>>(port, found);
    add_interfaces<knc::base::clocked_if>(port, found);
    add_interfaces<knc::base::pending_if>(port, found);
    add_interfaces<knc::card::tile_if>(port, found);
    const auto* any = dynamic_cast<const sc_core::sc_port_base*>(&port);
    if (found.empty() && any != nullptr && any->get_interface() != nullptr)
        found.push_back(any->get_interface());
    return found;
}

class tree {
  public:
    tree(const sc_core::sc_module& root, std::ostream& out) : out_(out), root_(root.name()) {
        for (const sc_object* top : sc_core::sc_get_top_level_objects()) collect(*top);
        // Where the way forward does not tell the target's socket, its way back does.
        std::set<std::string> resolved;
        for (const auto& [caller, sockets] : calls_) resolved.insert(caller);
        for (const auto& [socket, callers] : called_by_)
            for (const std::string& caller : callers)
                if (resolved.count(caller) == 0) calls_[caller].insert(socket);
        write(root, 0);
    }

  private:
    static const sc_interface* interface_of(const sc_object& o) {
        const auto* e = dynamic_cast<const sc_core::sc_export_base*>(&o);
        return e != nullptr ? e->get_interface() : nullptr;
    }
    // Relative to the root.
    std::string path(const std::string& name) const {
        return name.rfind(root_ + '.', 0) == 0 ? name.substr(root_.size() + 1) : name;
    }

    void collect(const sc_object& o) {
        if (const sc_interface* i = interface_of(o))
            owners_[i].insert({socket_of(o.name()), interface_type(o)});
        ports_.push_back(&o);
        for (const sc_object* child : o.get_child_objects()) collect(*child);
        if (o.get_parent_object() == nullptr) connect();
    }
    void connect() {
        for (const sc_object* p : ports_) {
            if (dynamic_cast<const sc_core::sc_port_base*>(p) == nullptr) continue;
            const std::string caller = socket_of(p->name());
            // The port of a target socket leads back to who calls it.
            const bool backward = is_half_of_socket(p->name());
            for (const sc_interface* i : interfaces_of(*p)) {
                const std::string other = owner(i, interface_type(*p));
                if (other.empty()) continue;
                if (backward)
                    called_by_[caller].insert(other);
                else
                    calls_[caller].insert(other);
            }
        }
        ports_.clear();
    }

    // The name of the export, socket or module that provides an interface to a port of this type.
    // Exports and sockets of one module may share one object; the type distinguishes them.
    std::string owner(const sc_interface* i, const std::string& type) const {
        const auto known = owners_.find(i);
        if (known != owners_.end()) {
            for (const auto& [name, provided] : known->second)
                if (!type.empty() && provided == type) return name;
        }
        if (const auto* module = dynamic_cast<const sc_object*>(i)) return module->name();
        return known != owners_.end() && known->second.size() == 1 ? known->second.begin()->first
                                                                   : "";
    }

    void write(const sc_object& o, unsigned depth) {
        const std::string indent(2 * depth, ' ');
        out_ << fmt::format("{}{}  {}\n", indent, o.basename(), class_name(o));
        for (const sc_object* child : o.get_child_objects()) {
            const std::string kind = child->kind();
            const bool connects = dynamic_cast<const sc_core::sc_port_base*>(child) != nullptr ||
                                  dynamic_cast<const sc_core::sc_export_base*>(child) != nullptr;
            if (!connects || is_half_of_socket(child->name())) continue;
            std::string line = fmt::format("{}  . {}", indent, child->basename());
            const auto c = calls_.find(child->name());
            std::size_t shown = 0;
            if (c != calls_.end())
                for (const std::string& whom : c->second) {
                    if (++shown > most_shown) continue;
                    line += (shown == 1 ? " -> " : ", ") + path(whom);
                }
            if (shown > most_shown) line += fmt::format(", and {} more", shown - most_shown);
            out_ << line << '\n';
        }
        for (const sc_object* child : o.get_child_objects())
            if (dynamic_cast<const sc_core::sc_module*>(child) != nullptr) write(*child, depth + 1);
    }

    static constexpr std::size_t most_shown = 4;

    std::ostream& out_;
    const std::string root_;
    // For each interface, the names of the exports and sockets that provide it, and their types.
    std::map<const sc_interface*, std::map<std::string, std::string>> owners_;
    std::vector<const sc_object*> ports_;
    std::map<std::string, std::set<std::string>> calls_, called_by_;
};

}  // namespace

void write_module_tree(const sc_core::sc_module& root, std::ostream& out) {
    tree(root, out);
}

}  // namespace platform
