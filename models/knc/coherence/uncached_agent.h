// Reads and writes of memory that leave no copy in a cache: of a tile (uncached, write-combining
// and streaming accesses) and of agents without a cache (SBOX, host).
//
// Models: one outstanding request per line; the directory makes it coherent with all caches. A
// write changes any bytes of one line. Leaves out: combining of writes; order between different
// lines; time. Source: docs/coherence.md.
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
        // The write is visible to every later read of any agent.
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

    // Starts a request and returns true. Returns false and does nothing if this agent has an
    // outstanding request for the line. If the tile's cached accesses to a line are to see a write
    // made here, they must wait for write_complete().
    bool read(line_t line);
    bool write(line_t line, const line_data& data, byte_mask mask);

    // Accepts a message for this node: its kind's receiver is receiver_kind::uncached.
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
