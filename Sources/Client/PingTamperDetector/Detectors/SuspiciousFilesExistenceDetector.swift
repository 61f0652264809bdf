/// Detects files that only tools for breaking into the device, or for changing its programs, leave there.
///
/// On iOS these are the tools' apps and files; on Linux it is `/etc/ld.so.preload` with a library, which the system then loads into every
/// program. The score is 1 when there is one, else 0.
public final class SuspiciousFilesExistenceDetector: TamperDetectorProtocol, Sendable {
  private let system: ExaminedSystem

  public convenience init() { self.init(system: ExaminedSystem()) }

  init(system: ExaminedSystem) { self.system = system }

  static let files = [
    "/Applications/Cydia.app", "/Applications/Sileo.app", "/Applications/Zebra.app",
    "/Applications/FakeCarrier.app",
    "/Library/MobileSubstrate/MobileSubstrate.dylib", "/usr/libexec/sftp-server", "/usr/sbin/sshd",
    "/bin/bash",
    "/etc/apt", "/var/jb", "/private/var/lib/cydia", "/private/var/stash",
  ]

  public func analyze() -> Double {
    #if os(iOS)
      Self.files.contains(where: system.exists) ? 1 : 0
    #elseif os(Linux)
      // Comments and blank lines load nothing.
      system.text("/etc/ld.so.preload").split(whereSeparator: \.isNewline).contains { line in
        !line.prefix { $0 != "#" }.allSatisfy(\.isWhitespace)
      } ? 1 : 0
    #else
      0
    #endif
  }
}
