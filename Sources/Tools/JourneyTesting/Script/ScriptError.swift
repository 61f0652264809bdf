/// A problem of a file of journey tests, with its place.
public struct ScriptError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The file's name, as given.
  public var file: String

  /// The line, from 1; `nil` for a problem of the whole file.
  public var line: Int?

  /// The problem, and what to write instead.
  public var problem: String

  public init(_ problem: String, file: String = "", line: Int? = nil) {
    (self.problem, self.file, self.line) = (problem, file, line)
  }

  public var description: String {
    "\(file)\(line.map { ":\($0)" } ?? ""): \(problem)"
  }
}
