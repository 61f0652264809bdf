import Foundation
import JourneyFiles
import StrictJSON

/// The findings of `journey check` about policies.
struct PolicyFindings {
  private var errors: [String] = []
  private var warnings: [String] = []

  /// A line per set of files that will load.
  private(set) var lines: [String] = []

  /// Checks policy files among `paths`, and those in folders. Each folder is one realm's.
  init(_ paths: [String]) throws {
    var realms: [[URL]] = [paths.filter(Self.isPolicies).map { URL(filePath: $0) }]
    for path in paths where JourneyFolder.isDirectory(URL(filePath: path)) {
      realms.append(try PolicyFolder.files(in: URL(filePath: path)))
    }
    for files in realms where !files.isEmpty {
      do {
        let policies = try PolicyFolder.check(files)
        warnings += policies.warnings
        lines += [
          "\(files.map { $0.relativePath }.joined(separator: ", ")): \(policies.count) "
            + "\(policies.count == 1 ? "policy" : "policies") will load."
        ]
      } catch { errors.append("\(error)") }
    }
  }

  static func isPolicies(_ path: String) -> Bool {
    path.hasSuffix(PolicyFolder.suffix) && !JourneyFolder.isDirectory(URL(filePath: path))
  }

  func errors(isStrict: Bool) -> Int { errors.count + (isStrict ? warnings.count : 0) }

  func remarks(isStrict: Bool) -> [String] {
    errors.map { "error: \($0)" } + warnings.map { "\(isStrict ? "error" : "warning"): \($0)" }
  }

  var json: JSONValue {
    [
      "errors": .array(errors.map { .string($0) }), "warnings": .array(warnings.map { .string($0) }),
      "loaded": .array(lines.map { .string($0) }),
    ]
  }
}
