/// Returns the only element. When there is none, or several, the command does not guess.
///
/// - Throws: `CommandFailure` with the sentence for that case.
func onlyOne<Element>(_ all: [Element], none: String, several: String) throws -> Element {
  guard let one = all.first, all.count == 1 else {
    throw CommandFailure(all.isEmpty ? none : several, code: all.isEmpty ? .notFound : .usage)
  }
  return one
}
