public import Foundation

/// The folder in which the client side of an application keeps its state: keys, their descriptions, sessions, the device identifier.
///
/// It is `$SEALRING_HOME` when that is set. Otherwise each application has its own, so that no application reads, uses or deletes
/// another's state: `$XDG_DATA_HOME/sealring/apps/NAME`, else `~/.local/share/sealring/apps/NAME` (on Apple platforms below `sealring`
/// in the application support folder), with ``application`` as NAME. Only its owner may enter it (mode 0700).
///
/// The home of the command `sealring` is `$SEALRING_HOME`, else `$XDG_DATA_HOME/sealring`.
public struct ClientHome: Sendable, Hashable {
  /// The location of the folder, which is created when something is first stored.
  public let directory: URL

  /// A home at `directory`.
  public init(directory: URL) { self.directory = directory.standardizedFileURL }

  /// The command line's home, with the environment variables `environment`.
  ///
  /// An empty variable counts as unset, and so does a relative `XDG_DATA_HOME` (XDG Base Directory Specification).
  /// - Parameter fallback: The folder that contains `sealring` when no variable is set; the user's data folder by default.
  public init(environment: [String: String], fallback: URL? = nil) {
    if let path = Self.named(environment) {
      self.init(directory: URL(fileURLWithPath: path, isDirectory: true))
      return
    }
    let data: URL
    if let path = environment["XDG_DATA_HOME"], path.hasPrefix("/") {
      data = URL(fileURLWithPath: path, isDirectory: true)
    } else {
      data = fallback ?? Self.userData(environment)
    }
    self.init(directory: data.appendingPathComponent("sealring", isDirectory: true))
  }

  /// The home of this process's application and user.
  ///
  /// Earlier versions kept the state of all of a user's applications in the command line's home. The first application that runs copies
  /// that state once and reports it on standard error; see docs/migration.md.
  public static var standard: ClientHome {
    if let ofTask { return ofTask }
    let environment = ProcessInfo.processInfo.environment
    let shared = ClientHome(environment: environment)
    guard named(environment) == nil, case .application(let name) = Program.current else { return shared }
    return HomeTakeover(shared: shared, application: name).home()
  }

  /// The folder that the environment names; `nil` when it names none.
  private static func named(_ environment: [String: String]) -> String? {
    environment["SEALRING_HOME"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The home of a task that acts as a process of its own, such as a command in a test; `nil` for all others.
  @TaskLocal package static var ofTask: ClientHome?

  /// The folder `name` in the home, created with mode 0700 when absent.
  ///
  /// - Throws: ``FileStorageError`` when it cannot be created or protected.
  public func folder(_ name: String) throws(FileStorageError) -> URL {
    try ProtectedFiles.createFolder(directory)
    let folder = directory.appendingPathComponent(name, isDirectory: true)
    try ProtectedFiles.createFolder(folder)
    return folder
  }

  /// The user's own folder: `$HOME`, as for other commands, else the one that the system has for the user.
  package static func userFolder(_ environment: [String: String]) -> String {
    environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory()
  }

  private static func userData(_ environment: [String: String]) -> URL {
    #if canImport(Darwin)
      URL.applicationSupportDirectory
    #else
      URL(fileURLWithPath: userFolder(environment), isDirectory: true).appendingPathComponent(".local/share")
    #endif
  }
}
