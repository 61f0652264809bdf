#if os(Linux) && DEBUG
  import Foundation
  import MessageBus

  /// The real GeoClue on a bus of its own, with a satellite receiver that is a program of the test.
  ///
  /// GeoClue serves a user as soon as a program of the desktop says that it asks the person; here one says so that is
  /// never asked, because GeoClue asks about sandboxed programs only.
  package struct LocationService {
    package let address: String

    private static let python = "/usr/bin/python3"
    private static let requirements = [
      "/usr/bin/dbus-daemon": "dbus", "/usr/libexec/geoclue": "geoclue-2.0", python: "python3",
      "/usr/lib/python3/dist-packages/dbusmock": "python3-dbusmock",
    ]

    /// Runs `body` with the service, and ends all of its processes.
    ///
    /// - Parameters:
    ///   - isRunning: Whether there is a GeoClue on the bus.
    ///   - isServing: Whether it serves this user. Without that, whoever asks it waits.
    package static func run(
      isRunning: Bool = true, isServing: Bool = true, _ body: (LocationService) async throws -> Void
    ) async throws {
      for (path, package) in requirements {
        try demand(
          FileManager.default.fileExists(atPath: path), "\(path) is missing: apt-get install \(package)")
      }
      // Not in the test's usual temporary folder: the path of a socket has at most 107 bytes.
      let folder = URL(filePath: "/tmp/sealring-geo-\(UUID().uuidString.prefix(8))")
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      var processes: [ServiceProgram] = []
      defer {
        for process in processes.reversed() { process.end() }
        try? FileManager.default.removeItem(at: folder)
      }
      let (daemon, address) = try PrivateBus.start(in: folder)
      processes.append(daemon)
      if isRunning {
        let receiver = folder.appending(path: "receiver").path(percentEncoded: false)
        // The proxy keeps GeoClue from asking web services about the networks nearby.
        let environment = [
          "DBUS_SYSTEM_BUS_ADDRESS": address, "https_proxy": "http://127.0.0.1:9", "no_proxy": "",
        ]
        let stand = try ServiceProgram(
          python, ["-c", receiverProgram, receiver, isServing ? "serve" : ""], environment: environment)
        processes.append(stand)
        try demand(await stand.nextLine() == "listening", "the receiver does not start")
        processes.append(
          try ServiceProgram(
            "/usr/libexec/geoclue", ["--timeout=0", "--nmea-socket=\(receiver)"], environment: environment))
        try demand(await stand.nextLine() == "ready", "GeoClue does not start")
      }
      try await body(LocationService(address: address))
    }

    /// Listens at the path that is its first argument, and sends whoever connects the place 48.1173 N, 11.516667 E once a
    /// second (NMEA 0183, GGA).
    private static let receiverProgram = """
      import socket, sys, threading, time
      import dbus, dbus.service
      from dbus.mainloop.glib import DBusGMainLoop
      from gi.repository import GLib

      def serve(listener):
          while True:
              connection, _ = listener.accept()
              try:
                  while True:
                      body = "GPGGA,%s,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,," % time.strftime("%H%M%S", time.gmtime())
                      check = 0
                      for byte in body.encode(): check ^= byte
                      connection.send(("$%s*%02X\\r\\n" % (body, check)).encode())
                      time.sleep(1)
              except OSError:
                  connection.close()

      listener = socket.socket(socket.AF_UNIX)
      listener.bind(sys.argv[1])
      listener.listen(8)
      threading.Thread(target=serve, args=(listener,), daemon=True).start()
      DBusGMainLoop(set_as_default=True)
      bus = dbus.SystemBus()

      class Agent(dbus.service.Object):
          @dbus.service.method("org.freedesktop.GeoClue2.Agent", in_signature="su", out_signature="bu")
          def AuthorizeApp(self, app, level): return False, level
          @dbus.service.method("org.freedesktop.DBus.Properties", in_signature="ss", out_signature="v")
          def Get(self, interface, name): return dbus.UInt32(8)
          @dbus.service.method("org.freedesktop.DBus.Properties", in_signature="s", out_signature="a{sv}")
          def GetAll(self, interface): return {"MaxAccuracyLevel": dbus.UInt32(8)}

      agent = Agent(bus, "/org/freedesktop/GeoClue2/Agent")

      def appeared(owner):
          if not owner: return
          if sys.argv[2] != "serve": return print("ready", flush=True)
          manager = bus.get_object("org.freedesktop.GeoClue2", "/org/freedesktop/GeoClue2/Manager")
          manager.AddAgent(
              "geoclue-demo-agent", dbus_interface="org.freedesktop.GeoClue2.Manager",
              reply_handler=lambda: print("ready", flush=True), error_handler=lambda error: sys.exit(str(error)))

      print("listening", flush=True)
      bus.watch_name_owner("org.freedesktop.GeoClue2", appeared)
      GLib.MainLoop().run()
      """
  }
#endif
