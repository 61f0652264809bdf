#if os(Linux) && DEBUG
  import Foundation
  import MessageBus

  /// A message bus of a test's own.
  enum PrivateBus {
    /// Starts one with its socket in `folder`; it accepts connections when this returns.
    static func start(in folder: URL) throws -> (daemon: ServiceProgram, address: String) {
      let address = "unix:path=\(folder.path(percentEncoded: false))/bus"
      let daemon = try ServiceProgram(
        "/usr/bin/dbus-daemon",
        ["--session", "--nofork", "--nopidfile", "--nosyslog", "--address=\(address)", "--print-address=1"])
      // It prints its address as soon as it accepts connections.
      guard daemon.firstOutput().hasPrefix("unix:") else {
        daemon.end()
        throw FixtureError(description: "dbus-daemon does not start")
      }
      return (daemon, address)
    }
  }

  extension Bus {
    /// Waits until a program on the bus has taken `name`.
    func waitForOwner(of name: String) throws {
      let bus = "org.freedesktop.DBus"
      var hasOwner = false
      try subscribe(
        .init(of: bus, path: "/org/freedesktop/DBus", interface: bus, member: "NameOwnerChanged")
      ) { message in
        if (try? message.string()) == name { hasOwner = true }
      }
      let method = Member(
        of: bus, path: "/org/freedesktop/DBus", interface: bus, member: "NameHasOwner")
      if try call(method, [name]).bool() { return }
      _ = try wait { hasOwner ? true : nil }
    }
  }
#endif
