// The connection to one gdb: a TCP port of this host, or a Unix socket.
//
// Acknowledges packets until gdb asks it not to. Leaves out: the meaning of a packet
// (platform/gdb_server.h).
#ifndef KNC_PLATFORM_GDB_CONNECTION_H
#define KNC_PLATFORM_GDB_CONNECTION_H

#include <optional>
#include <string>
#include <string_view>

#include <platform/gdb_packet.h>
#include <platform/gdb_surplus.h>
#include <platform/unix_listener.h>

namespace platform {

class gdb_connection {
  public:
    using item = gdb_packet_reader::item;
    using kind = gdb_packet_reader::kind;

    // Listens at `place`: a port number, or the path of a socket. Throws input_error.
    explicit gdb_connection(const std::string& place);
    ~gdb_connection();
    gdb_connection(const gdb_connection&) = delete;
    gdb_connection& operator=(const gdb_connection&) = delete;

    // Accepts a client, if there is none yet; others are told so. Returns whether one has come.
    bool accept();
    // Waits for a client.
    void wait_for_client();
    bool connected() const { return client_ >= 0; }
    // The next packet or interrupt; kind::none: there is none for the present, or the client has
    // gone.
    item take();
    // Waits for it; kind::none: the client has gone.
    item wait();
    void send(std::string_view content);
    // From now on, no packet is acknowledged.
    void stop_acknowledging() { acknowledges_ = false; }
    void leave();

  private:
    static int listen_at_port(const std::string& place);
    bool receive();
    void write(std::string_view bytes);
    void wait_for_bytes() const;
    int listening() const { return socket_ ? socket_->descriptor() : port_; }

    std::optional<unix_listener> socket_;
    int port_ = -1;
    int client_ = -1;
    bool acknowledges_ = true;
    std::string sent_;  // the last packet
    gdb_packet_reader reader_;
    gdb_surplus surplus_;
};

}  // namespace platform

#endif
