#if os(Linux)
  internal import Concurrency
  package import Foundation
  internal import MessageBus
  package import PersonPrompts
  internal import TerminalText

  /// Asks through a desktop notification with buttons (Desktop Notifications Specification 1.2). It does not ask for PINs.
  ///
  /// An answer counts only from the connection that showed the notification, as long as it owns the service's name. A notification that is
  /// closed, or whose service goes away, is a no.
  package struct NotificationPrompt: PersonPrompt {
    /// A button of the notification.
    struct Button: Sendable, Hashable {
      let key: String
      let label: String

      static let yes = Button(key: "yes", label: "Yes")
      static let no = Button(key: "no", label: "No")
    }

    /// The outcome of a notification.
    enum Outcome: Sendable, Hashable {
      case pressed(Button)
      /// The notification was closed, its time ran out, or the task was cancelled.
      case over
      /// The notification could not be shown, for this reason.
      case notShown(String)
    }

    private static let service = "org.freedesktop.Notifications"
    /// Services cut long texts, so longer questions are not asked. A sign-in by SSH with a certificate, over two forwarding hosts, has 16
    /// lines.
    private static let (longestBody, mostLines) = (1200, 16)

    private let address: String?
    private let clock: any Clock<Duration>

    /// - Parameters:
    ///   - environment: Names the bus of the desktop (`DBUS_SESSION_BUS_ADDRESS`, else `XDG_RUNTIME_DIR/bus`).
    ///   - clock: Measures the time until a question's end.
    package init(_ environment: [String: String], clock: any Clock<Duration> = ContinuousClock()) {
      self.clock = clock
      let folder = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      let socket = folder.map { $0 + "/bus" }.flatMap {
        FileManager.default.fileExists(atPath: $0) ? $0 : nil
      }
      address = environment["DBUS_SESSION_BUS_ADDRESS"] ?? socket.map { "unix:path=\($0)" }
    }

    package func ask(_ question: PersonQuestion, until end: Date) async -> PersonAnswer {
      guard !question.needsPIN else { return .nobody("a notification takes no PIN") }
      return switch await show(question, [.yes, .no], until: end) {
      case .pressed(.yes): .yes
      case .pressed, .over: .no
      case .notShown(let reason): .nobody(reason)
      }
    }

    /// Shows the question until a button is pressed.
    ///
    /// - Parameters:
    ///   - hint: What the person can do beside pressing a button.
    ///   - whenShown: Called as soon as the service has the notification.
    func show(
      _ question: PersonQuestion, _ buttons: [Button], hint: String? = nil, until end: Date,
      whenShown: @escaping @Sendable () -> Void = {}
    ) async -> Outcome {
      guard let address else { return .notShown("there is no desktop that could show a notification") }
      let body = Self.body(of: question, hint: hint, until: end)
      guard body.utf8.count <= Self.longestBody, body.count(where: \.isNewline) < Self.mostLines else {
        return .notShown("the question is longer than a notification shows")
      }
      let left = max(0, end.timeIntervalSinceNow)
      do {
        return try await firstOf(
          {
            try await Bus.withConnection(to: address) { bus in
              try Self.ask(on: bus, question.title, body, buttons, for: left, whenShown)
            }
          }, orAfter: .seconds(left), on: clock)
      } catch let error as BusError {
        return .notShown("the desktop shows no notification: \(error)")
      } catch {
        return .over
      }
    }

    private static func ask(
      on bus: Bus, _ title: String, _ body: String, _ buttons: [Button], for seconds: TimeInterval,
      _ whenShown: () -> Void
    ) throws -> Outcome {
      var pressed: [(sender: String?, id: UInt32, key: String?)] = []
      var lost: Set<String> = []
      for (member, hasKey) in [("ActionInvoked", true), ("NotificationClosed", false)] {
        try bus.subscribe(
          .init(of: service, path: "/org/freedesktop/Notifications", interface: service, member: member)
        ) { message in
          guard let id = try? message.uint32() else { return }
          pressed.append((message.sender, id, hasKey ? (try? message.string()) ?? "" : nil))
        }
      }
      let daemon = "org.freedesktop.DBus"
      try bus.subscribe(
        .init(of: daemon, path: "/org/freedesktop/DBus", interface: daemon, member: "NameOwnerChanged")
      ) { message in
        if message.sender == daemon, let name = try? message.string() { lost.insert(name) }
      }
      let offered = try bus.call(method("GetCapabilities", of: service))
      let capabilities = try offered.strings()
      guard ["actions", "body"].allSatisfy(capabilities.contains), let owner = offered.sender else {
        return .notShown("the desktop's notifications have no buttons")
      }
      // The name's owner changed when the service was started.
      lost = []
      let id = try bus.call(
        method("Notify", of: owner),
        with: [
          .string("Sealring"), .uint32(0), .string("dialog-password"), .string(title), .string(body),
          .strings(buttons.flatMap { [$0.key, $0.label] }),
          // Critical ones stay until they are answered.
          .properties([("urgency", .variantByte(2)), ("category", .variantString("device"))]),
          .int32(Int32(clamping: Int(seconds * 1000))),
        ], patience: 5,
        // Waits for the number also when the question is over meanwhile: without it the notification could not be taken away.
        isCleaningUp: true
      ).uint32()
      defer {
        _ = try? bus.call(
          method("CloseNotification", of: owner), with: [.uint32(id)], patience: 2, isCleaningUp: true)
      }
      whenShown()
      return try bus.wait {
        if lost.contains(owner) || lost.contains(service) { return .over }
        while !pressed.isEmpty {
          let event = pressed.removeFirst()
          // Other programs can send signals to this connection, and a press on the text itself is not a button.
          guard event.sender == owner, event.id == id else { continue }
          guard let key = event.key else { return .over }
          if let button = buttons.first(where: { $0.key == key }) { return .pressed(button) }
        }
        return nil
      }
    }

    private static func method(_ member: String, of destination: String) -> Bus.Member {
      .init(
        of: destination, path: "/org/freedesktop/Notifications", interface: service, member: member)
    }

    /// One fact per line. Values that others chose can add neither a line nor markup.
    static func body(of question: PersonQuestion, hint: String?, until end: Date) -> String {
      var lines = [question.remark].compactMap { $0 } + question.facts.map { "\($0.name): \($0.value)" }
      lines += [question.action, hint].compactMap { $0 } + ["Answer until \(TerminalText.Times.text(end))."]
      return lines.map { escaped(TerminalText.line($0)) }.joined(separator: "\n")
    }

    /// Escapes markup, which bodies may have (§4.1 of the specification).
    private static func escaped(_ text: String) -> String {
      text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        .replacing("\"", with: "&quot;")
    }
  }
#endif
