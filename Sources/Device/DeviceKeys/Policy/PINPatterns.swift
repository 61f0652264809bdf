/// Patterns that make a PIN easy to guess.
enum PINPatterns {
  /// Whether the characters repeat one piece of one to four characters: `111111`, `121212`, `12341234`.
  static func isRepetition(_ characters: [Unicode.Scalar]) -> Bool {
    (1...4).contains { length in
      characters.count >= 2 * length && characters.count % length == 0
        && characters.indices.allSatisfy { characters[$0] == characters[$0 % length] }
    }
  }

  /// Whether the characters go up by one each, or down by one each: `123456`, `fedcba`. 0 counts as before 1 and after 9, as on a keypad:
  /// `567890`, `098765`.
  static func isRun(_ characters: [Unicode.Scalar]) -> Bool {
    guard characters.count > 1 else { return false }
    return [1, -1].contains { step in
      zip(characters, characters.dropFirst()).allSatisfy { follows($0, $1, by: step) }
    }
  }

  private static func follows(_ first: Unicode.Scalar, _ second: Unicode.Scalar, by step: Int) -> Bool {
    let (from, to) = step > 0 ? (first, second) : (second, first)
    return Int(to.value) - Int(from.value) == 1 || (from == "9" && to == "0")
  }
}
