// Reads and writes of memory that take no copy: of a tile (uncached, write-combining and streaming
// accesses) and of what has no cache (SBOX, host).
//
// Models: one request per line under way; the directory makes it coherent with all caches. A write
// is of any bytes of one line. Leaves out: combining of writes; order between different lines;
// time. Source: docs/coherence.md.
#ifndef KNC_COHERENCE_UNCACHED_AGENT_H
#define KNC_COHERENCE_UNCACHED_AGENT_H

#include <vector>

#include <knc/coherence/address_hash.h>
#include <knc/coherence/port.h>

namespace knc::coherence {

class uncached_agent {
  public:
    class observer {
      public:
        virtual void read_complete(line_t, const line_data&) = 0;
        // The write is visible to every later read, whoever makes it.
        virtual void write_complete(line_t) = 0;

      protected:
        ~observer() = default;
    };
    struct operation {
        line_t line = 0;
        bool write = false;
    };

    uncached_agent(node_t self, const address_hash& hash, port& out, observer& o)
        : self_(self), hash_(hash), out_(out), observer_(o) {}

    // Starts a request and returns true; false, and nothing happens, while another of this agent to
    // the same line is under way. A tile's cached accesses to a line it writes here have to wait
    // for write_complete() if they are to see it.
    bool read(line_t line);
    bool write(line_t line, const line_data& data, byte_mask mask);

    // A message for this node whose kind's receiver is receiver_kind::uncached.
    void receive(const message&);

    bool busy(line_t line) const;
    const std::vector<operation>& operations() const { return operations_; }
    void restore(const std::vector<operation>& o) { operations_ = o; }

  private:
    bool start(line_t line, bool write, message& m);

    node_t self_;
    const address_hash& hash_;
    port& out_;
    observer& observer_;
    std::vector<operation> operations_;
};

}  // namespace knc::coherence

#endif
