/// The words behind a benchmark's name: `--seconds 5` and the like.
public struct BenchmarkOptions: Sendable {
  public let words: [String]

  /// What the program was started with.
  public static var ofProgram: BenchmarkOptions {
    BenchmarkOptions(words: Array(CommandLine.arguments.dropFirst()))
  }

  /// Whether the option is there.
  public func has(_ name: String) -> Bool { words.contains(name) }

  /// The word behind an option.
  public func text(_ name: String) -> String? {
    guard let index = words.firstIndex(of: name), words.indices.contains(index + 1) else { return nil }
    return words[index + 1]
  }

  public func number(_ name: String) -> Int? { text(name).flatMap { Int($0) } }
}
