public import Bytes

/// Three numbers, one of which the login page shows.
public struct PushNumberChallenge: Sendable, Hashable, Redacted {
  /// Three different numbers from 10 to 99, ascending.
  public let options: [Int]

  /// The one that the login page shows.
  public let answer: Int

  /// New numbers from `generator`, which must be cryptographically secure in production.
  public static func random(using generator: inout some RandomNumberGenerator)
    -> PushNumberChallenge
  {
    var numbers: [Int] = []
    while numbers.count < 3 {
      let number = Int.random(in: 10...99, using: &generator)
      if !numbers.contains(number) { numbers.append(number) }
    }
    return PushNumberChallenge(options: numbers.sorted(), answer: numbers[0])
  }

  /// Whether a device's `answer` is the right number. Blanks around it are ignored; nothing else is.
  public static func isAnswer(_ answer: String?, of expected: Int) -> Bool {
    guard let answer = answer.map(trimmed), !answer.isEmpty, answer.utf8.count <= 8,
      answer.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return false }
    return Int(answer) == expected
  }
}

/// Digits that the login page shows and the person types on the device (NIST SP 800-63B-4 §3.1.3.3).
public struct PushCodeChallenge: Sendable, Hashable, Redacted {
  /// The digits. Not printed.
  public let code: String

  /// How many digits a code may have.
  public static let lengths = 4...10

  /// A new code of `length` digits, brought into ``lengths``, from `generator`.
  public static func random(length: Int = 6, using generator: inout some RandomNumberGenerator)
    -> PushCodeChallenge
  {
    let length = min(max(length, lengths.lowerBound), lengths.upperBound)
    return PushCodeChallenge(
      code: String(
        (0..<length).map { _ in Character(String(Int.random(in: 0...9, using: &generator))) }))
  }

  /// Whether a device's `answer` is `expected`; leading zeros count. The time is constant for answers of the same length.
  public static func isAnswer(_ answer: String?, of expected: String) -> Bool {
    answer.map { ConstantTime.areEqual(trimmed($0).utf8, expected.utf8) } ?? false
  }

  public var description: String { "PushCodeChallenge(\(code.count) digits)" }
}

func trimmed(_ text: String) -> String {
  String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
}
