internal import Foundation

/// Finds programs that must be installed.
package enum Program {
  /// The path of the program `name`.
  ///
  /// - Parameter package: The Debian package with the program.
  /// - Throws: ``SoftwareTPMError``, which says how to install it.
  package static func path(of name: String, package: String) throws -> String {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
    for folder in folders + ["/usr/bin", "/bin"] {
      let path = "\(folder)/\(name)"
      if FileManager.default.isExecutableFile(atPath: path) { return path }
    }
    throw SoftwareTPMError("The program '\(name)' is missing. Install it: apt-get install \(package)")
  }
}
