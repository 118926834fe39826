// The coherence side of a memory controller: its responses to the directory and to requesters.
//
// Models: reads that send the data to the requester and an acknowledgement to the home slice,
// writes of whole lines and of some bytes. Leaves out: time and order; the controller calls
// perform() in the cycle in which the access is complete (knc/memory). Source: docs/coherence.md.
#ifndef KNC_COHERENCE_MEMORY_AGENT_H
#define KNC_COHERENCE_MEMORY_AGENT_H

#include <knc/coherence/port.h>

namespace knc::coherence {

// The storage behind the controller.
class line_store {
  public:
    virtual void read(line_t, line_data&) = 0;
    virtual void write(line_t, const line_data&, byte_mask) = 0;
    // The line will be read or written soon. A hint, so that the host has fetched it.
    virtual void expect(line_t) const {}
    // A write of the line changes nothing but its bytes, until something else runs.
    virtual bool only_bytes(line_t) const { return false; }

  protected:
    ~line_store() = default;
};

class memory_agent {
  public:
    memory_agent(node_t self, line_store& store, port& out)
        : self_(self), store_(store), out_(out) {}

    // Executes the access of a message and responds. Its kind's receiver is receiver_kind::memory.
    // The first response may take the place of the message.
    void perform(const message&);
    // One about this line is under way.
    void expect(line_t line) const { store_.expect(line); }
    // As line_store.
    bool only_bytes(line_t line) const { return store_.only_bytes(line); }

  private:
    void send(message& response, message_kind kind, node_t destination);

    node_t self_;
    line_store& store_;
    port& out_;
};

}  // namespace knc::coherence

#endif
