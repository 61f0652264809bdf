internal import Foundation

/// Programs that have to be installed.
enum Program {
  /// The path of the program `name`.
  ///
  /// - Throws: ``SoftwareTPMError`` that names the Debian package to install.
  static func find(_ name: String, package: String) throws -> String {
    let search = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    for folder in search.split(separator: ":") + ["/usr/bin"] {
      let path = "\(folder)/\(name)"
      if FileManager.default.isExecutableFile(atPath: path) { return path }
    }
    throw SoftwareTPMError("The program \(name) is missing. Install it: apt-get install \(package)")
  }
}
