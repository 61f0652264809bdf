/// Suggests the name that was meant for one that is mistyped.
package enum NearName {
  /// ` Did you mean 'NAME'?`; `nil` when no name is near.
  package static func hint(_ word: String, in names: [String]) -> String? {
    of(word, in: names).map { " Did you mean '\($0)'?" }
  }

  /// The name of `names` that `word` probably means; `nil` when none is near.
  static func of(_ word: String, in names: [String]) -> String? {
    names.min { distance($0, word) < distance($1, word) }
      .flatMap { distance($0, word) <= max(1, word.count / 3) ? $0 : nil }
  }

  /// How many letters have to be changed, added, left out, or exchanged with their neighbour (optimal string alignment).
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
