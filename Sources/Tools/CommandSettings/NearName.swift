/// Suggests the intended name for a mistyped one.
package enum NearName {
  /// Returns ` Did you mean 'NAME'?`; `nil` when no name is similar.
  package static func hint(_ word: String, in names: [String]) -> String? {
    of(word, in: names).map { " Did you mean '\($0)'?" }
  }

  /// The name that `word` probably means; `nil` when none is similar.
  static func of(_ word: String, in names: [String]) -> String? {
    names.min { distance($0, word) < distance($1, word) }
      .flatMap { distance($0, word) <= max(1, word.count / 3) ? $0 : nil }
  }

  /// The number of letters to change, add, omit, or swap with a neighbour (optimal string alignment).
  private static func distance(_ first: String, _ second: String) -> Int {
    let (first, second) = (Array(first), Array(second))
    var before: [Int] = []
    var row = Array(0...second.count)
    for index in first.indices {
      var next = [index + 1]
      for column in second.indices {
        let isSame = first[index] == second[column]
        var best = min(row[column + 1] + 1, next[column] + 1, row[column] + (isSame ? 0 : 1))
        if index > 0, column > 0, first[index] == second[column - 1], first[index - 1] == second[column] {
          best = min(best, before[column - 1] + 1)
        }
        next.append(best)
      }
      (before, row) = (row, next)
    }
    return row[second.count]
  }
}
