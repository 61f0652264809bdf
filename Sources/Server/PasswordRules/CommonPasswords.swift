internal import Bytes
internal import CEmbeddedFiles

/// Passwords that attackers try first.
enum CommonPasswords {
  /// Whether `password` is in the list.
  private static func lists(_ password: String) -> Bool {
    let file = EmbeddedFile.common_passwords_txt
    return UnsafeBufferPointer(start: file.start, count: file.count).hasSortedLine(password)
  }

  /// Whether `folded`, a password in lower case, is common: it is in the list, also with up to four digits or signs around it, is a run
  /// such as `abcdefgh`, or consists of one or two different characters.
  static func has(_ folded: String) -> Bool {
    if lists(folded) || isRun(folded) || Set(folded.unicodeScalars).count <= 2 { return true }
    let front = folded.drop { !$0.isLetter }
    let core = String(front.reversed().drop { !$0.isLetter }.reversed())
    return folded.count - core.count <= 4 && lists(core)
  }

  private static func isRun(_ text: String) -> Bool {
    let values = text.unicodeScalars.map { Int($0.value) }
    guard values.count > 1 else { return true }
    let step = values[1] - values[0]
    return abs(step) == 1 && zip(values, values.dropFirst()).allSatisfy { $1 - $0 == step }
  }
}
