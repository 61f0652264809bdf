#if os(Linux) && DEBUG
  import Foundation
  package import DesktopPrompts

  /// A desktop's notification service, on a bus of its own: a program of the test, which shows nothing.
  package struct NotificationService {
    private let program: ServiceProgram
    /// Of its bus.
    package let address: String

    package var prompt: NotificationPrompt { prompt(on: ContinuousClock()) }

    /// - Parameter clock: Measures the time until a question's end.
    package func prompt(on clock: any Clock<Duration>) -> NotificationPrompt {
      NotificationPrompt(["DBUS_SESSION_BUS_ADDRESS": address], clock: clock)
    }

    /// Runs `body` with the service, which does `acts` as soon as it has a notification:
    ///
    /// - `press KEY` and `close`, as a desktop does; `press-other KEY` on a notification that is not the caller's
    /// - `forge KEY`: the same as `press`, but sent by another program, to everybody and to the caller
    /// - `replace KEY`: another program takes the service's name, and then sends that
    /// - `quit`: the service ends
    ///
    /// - Parameter address: The bus; without one a bus of its own.
    package static func run(
      _ acts: [String] = [], capabilities: String = "actions body body-markup", at address: String? = nil,
      _ body: (NotificationService) async throws -> Void
    ) async throws {
      let folder = URL(filePath: "/tmp/sealring-nt-\(UUID().uuidString.prefix(8))")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      var processes: [ServiceProgram] = []
      defer {
        for process in processes.reversed() { process.end() }
        try? FileManager.default.removeItem(at: folder)
      }
      var place = address ?? ""
      if address == nil {
        let (daemon, own) = try PrivateBus.start(in: folder)
        processes.append(daemon)
        place = own
      }
      let program = try ServiceProgram(
        "/usr/bin/python3", ["-c", source, capabilities] + acts,
        environment: ["DBUS_SESSION_BUS_ADDRESS": place])
      processes.append(program)
      try demand(await program.nextLine() == "ready", "the notification service does not start")
      try await body(NotificationService(program: program, address: place))
    }

    /// The next notification that came, or `closed`: what was asked for, as JSON. Waits for it.
    package func next() async throws -> String { try await program.nextLine() }

    private static let source = """
      import json, sys
      import dbus, dbus.bus, dbus.lowlevel, dbus.service, dbus.mainloop.glib
      from gi.repository import GLib

      NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
      loop = dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
      bus = dbus.SessionBus()
      other = dbus.SessionBus(private=True)
      main = GLib.MainLoop()
      names = []

      def send(connection, member, signature, values, to=None):
          message = dbus.lowlevel.SignalMessage(PATH, NAME, member)
          message.append(*values, signature=signature)
          if to: message.set_destination(to)
          connection.send_message(message)
          connection.flush()

      def play(id, caller):
          for act in sys.argv[2:]:
              what, _, key = act.partition(" ")
              if what == "press": send(bus, "ActionInvoked", "us", (id, key))
              if what == "press-other": send(bus, "ActionInvoked", "us", (id + 1, key))
              if what == "close": send(bus, "NotificationClosed", "uu", (id, 2))
              if what == "quit": main.quit()
              if what in ("forge", "replace"):
                  if what == "replace":
                      names.append(dbus.service.BusName(NAME, other, replace_existing=True, do_not_queue=True))
                  for to in (None, caller): send(other, "ActionInvoked", "us", (id, key), to)

      class Service(dbus.service.Object):
          @dbus.service.method(NAME, out_signature="as")
          def GetCapabilities(self): return sys.argv[1].split()
          @dbus.service.method(NAME, in_signature="susssasa{sv}i", out_signature="u", sender_keyword="caller")
          def Notify(self, app, replaces, icon, title, body, actions, hints, time, caller=None):
              told = {"title": title, "body": body, "actions": list(actions), "urgency": int(hints["urgency"]), "time": int(time)}
              print(json.dumps(told), flush=True)
              GLib.timeout_add(50, play, 7, caller)
              return 7
          @dbus.service.method(NAME, in_signature="u")
          def CloseNotification(self, id): print("closed", int(id), flush=True)

      names.append(dbus.service.BusName(NAME, bus, allow_replacement=True, do_not_queue=True))
      service = Service(bus, PATH)
      print("ready", flush=True)
      main.run()
      """
  }
#endif
