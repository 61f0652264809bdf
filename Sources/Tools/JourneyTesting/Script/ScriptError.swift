/// What is wrong with a file of journey tests, and where.
public struct ScriptError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The file, as it was given.
  public var file: String

  /// The line, counted from 1; `nil` when it is about the whole file.
  public var line: Int?

  /// What is wrong, and what to write instead.
  public var problem: String

  public init(_ problem: String, file: String = "", line: Int? = nil) {
    (self.problem, self.file, self.line) = (problem, file, line)
  }

  public var description: String {
    "\(file)\(line.map { ":\($0)" } ?? ""): \(problem)"
  }
}
