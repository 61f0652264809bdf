package import Foundation

/// A program of the build that the running tests are of.
package enum BuiltProgram {
  /// Where the program `name` is: beside the test bundle. `Package.swift` says which tests start which programs (`started`).
  package static func url(_ name: String) -> URL {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name)
  }

  package static func path(_ name: String) -> String { url(name).path(percentEncoded: false) }
}
