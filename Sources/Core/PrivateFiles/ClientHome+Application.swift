internal import Concurrency
internal import Foundation

extension ClientHome {
  /// The program whose state a process uses.
  enum Program: Sendable, Hashable {
    case application(String)
    /// The command line of this project.
    case commandLine

    private static let chosen = Locked<Program?>(nil)
    private static let standard = Program.application(standardName)

    static var current: Program {
      get { chosen.withLock { $0 } ?? standard }
      set { chosen.withLock { $0 = newValue } }
    }

    /// The bundle's identifier, else the name of the program's file. Not the name that it was called by, which links and `exec` change.
    private static var standardName: String {
      if let identifier = Bundle.main.bundleIdentifier, !identifier.isEmpty { return identifier }
      var path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
      // The kernel adds this when an update replaced the running program.
      if path.hasSuffix(" (deleted)") { path.removeLast(" (deleted)".count) }
      let name = path.split(separator: "/").last.map(String.init) ?? ProcessInfo.processInfo.processName
      return name.isEmpty ? "application" : name
    }
  }

  /// The name under which this process's application has its state: the bundle's identifier, else the name of the program's file.
  ///
  /// Set it before using anything else of the client when that name does not identify the application: several programs are one
  /// application, or an interpreter runs many. An empty name is ignored.
  public static var application: String {
    get {
      if case .application(let name) = Program.current { name } else { "sealring" }
    }
    set { if !newValue.isEmpty { Program.current = .application(newValue) } }
  }

  /// Has this process use the command line's home.
  package static func useCommandLine() { Program.current = .commandLine }
}
