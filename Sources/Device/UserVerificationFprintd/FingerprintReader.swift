#if os(Linux)
  internal import Foundation
  internal import MessageBus
  internal import UserVerification

  /// The default reader of fprintd, as one program on one bus connection uses it.
  ///
  /// fprintd's D-Bus interface is `net.reactivated.Fprint`: <https://fprint.freedesktop.org/fprintd-dev/>.
  struct FingerprintReader {
    /// A step of a scan, from the signal `VerifyStatus`.
    struct Status: Hashable {
      let result: String
      /// Whether the scan is over.
      let isDone: Bool
    }

    static let service = "net.reactivated.Fprint"

    private let bus: Bus
    private let path: String
    /// The unique name of the connection that owned the service when the reader was found.
    private let owner: String

    /// - Throws: ``UserVerificationError/noReader(_:)``, `CancellationError`.
    init(on bus: Bus) throws {
      self.bus = bus
      let reply = try translating {
        try bus.call(
          .init(
            of: Self.service, path: "/net/reactivated/Fprint/Manager",
            interface: "\(Self.service).Manager", member: "GetDefaultDevice"))
      }
      path = try translating { try reply.string("o") }
      guard let owner = reply.sender else {
        throw UserVerificationError.noReader("fprintd does not say who it is")
      }
      self.owner = owner
    }

    /// Whether the reader can be claimed again after a failure; asked even when interrupted. fprintd may list a reader for a moment after
    /// it was unplugged, but cannot open it any more.
    var isThere: Bool {
      guard (try? bus.call(device("Claim"), [""], patience: 2, isCleaningUp: true)) != nil else {
        return false
      }
      release()
      return true
    }

    /// The instruction for the person: to touch the reader or to swipe over it.
    var instruction: String {
      let name = (try? name()) ?? "the fingerprint reader"
      return (try? property("scan-type")) == "swipe" ? "Swipe your finger over \(name)" : "Touch \(name)"
    }

    /// The reader's name, which names the model and not the single device.
    func name() throws -> String { try translating { try property("name") } }

    /// The names of the user's enrolled fingers, never empty.
    func enrolledFingers() throws -> [String] {
      let fingers = try translating { try call("ListEnrolledFingers", [""]).strings() }
      guard !fingers.isEmpty else { throw UserVerificationError.notEnrolled }
      return fingers
    }

    /// Keeps other programs from the reader until ``release()`` or until the bus connection ends.
    func claim() throws { _ = try translating { try call("Claim", [""]) } }

    func release() { cleanUp("Release") }

    /// Starts a scan for any enrolled finger.
    ///
    /// - Parameters:
    ///   - status: Receives each step.
    ///   - gone: Called when fprintd has ended.
    func startVerifying(status: @escaping (Status) -> Void, gone: @escaping () -> Void) throws {
      try translating {
        // Any program on the bus can send signals to this connection: only fprintd's own count.
        try bus.subscribe(
          .init(of: owner, path: path, interface: "\(Self.service).Device", member: "VerifyStatus")
        ) { [owner] message in
          guard message.sender == owner, let result = try? message.string(), let isDone = try? message.bool()
          else { return }
          status(Status(result: result, isDone: isDone))
        }
        try bus.subscribe(
          .init(
            of: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
            interface: "org.freedesktop.DBus", member: "NameOwnerChanged")
        ) { [owner] message in
          guard message.sender == "org.freedesktop.DBus", (try? message.string()) == owner else { return }
          gone()
        }
        // If fprintd ended before we subscribed, this call has no recipient and fails.
        try call("VerifyStart", ["any"])
      }
    }

    func stopVerifying() { cleanUp("VerifyStop") }

    @discardableResult
    private func call(_ member: String, _ arguments: [String]) throws -> BusMessage {
      try bus.call(device(member), arguments)
    }

    /// Calls `member` and ignores failures: fprintd releases everything when the bus connection ends.
    private func cleanUp(_ member: String) {
      _ = try? bus.call(device(member), patience: 2, isCleaningUp: true)
    }

    private func device(_ member: String) -> Bus.Member {
      .init(of: owner, path: path, interface: "\(Self.service).Device", member: member)
    }

    private func property(_ name: String) throws -> String {
      try bus.call(
        .init(of: owner, path: path, interface: "org.freedesktop.DBus.Properties", member: "Get"),
        ["\(Self.service).Device", name]
      ).variantString()
    }
  }

  /// Runs `body` and translates errors of the bus into ``UserVerificationError``.
  private func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as BusError { throw UserVerificationError(error) }
  }

  extension UserVerificationError {
    init(_ error: BusError) {
      switch error {
      case .noBus(let reason): self = .noReader("there is no system bus (\(reason))")
      case .noDescriptors: self = .unavailable("this program has too many files open")
      case .disconnected: self = .readerGone
      case .malformed(let reason): self = .unavailable("fprintd's answer is not understood (\(reason))")
      case .refused(let name, let message): self = Self.meaning(of: name, message)
      }
    }

    private static func meaning(of name: String, _ message: String) -> Self {
      switch name {
      case "net.reactivated.Fprint.Error.NoSuchDevice":
        .noReader("none is connected")
      case "net.reactivated.Fprint.Error.NoEnrolledPrints":
        .notEnrolled
      case "net.reactivated.Fprint.Error.AlreadyInUse":
        .readerBusy
      case "net.reactivated.Fprint.Error.PermissionDenied", "org.freedesktop.DBus.Error.AccessDenied":
        .unavailable("fprintd does not let this user use the reader; polkit decides that (\(message))")
      case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
        .noReader("fprintd is not installed")
      case "org.freedesktop.DBus.Error.UnknownObject", "org.freedesktop.DBus.Error.UnknownMethod",
        "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Disconnected":
        .readerGone
      case _ where name.hasPrefix("org.freedesktop.DBus.Error.Spawn."):
        .noReader("fprintd does not start (\(message))")
      default:
        .unavailable("fprintd failed with \(name): \(message)")
      }
    }
  }
#endif
