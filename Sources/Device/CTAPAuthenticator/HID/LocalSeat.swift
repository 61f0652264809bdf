#if os(Linux)
  package import Foundation
  internal import PrivateFiles

  /// The user at the machine's own screen and keyboard, according to systemd-logind. systemd's rules give a security key's hidraw node to
  /// this user only, and give it to the next user when that changes.
  package struct LocalSeat: Sendable {
    /// logind writes some hundred bytes and the number of each session.
    private static let limit = 64 << 10

    private let file: URL

    /// - Parameter folder: Where logind describes the seats; anyone may read it, and only root may write.
    package init(folder: URL = URL(filePath: "/run/systemd/seats", directoryHint: .isDirectory)) {
      // A device without a parent device belongs to the first seat.
      file = folder.appending(path: "seat0")
    }

    /// The user whose session is active; `nil` when there is none or logind does not say.
    ///
    /// The state "active" of a user would not do, because a session over the network has it as well.
    package var user: UInt32? {
      let key = "ACTIVE_UID="
      guard let bytes = try? file.bytes(atMost: Self.limit) else { return nil }
      let found = String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix(key) }
      guard found.count == 1, let line = found.first else { return nil }
      return UInt32(line.dropFirst(key.count))
    }
  }
#endif
