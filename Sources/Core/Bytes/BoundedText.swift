extension String {
  /// The first `count` characters. A text of at most `count` bytes is returned whole, which is quick to check.
  package func bounded(to count: Int) -> String { utf8.count <= count ? self : String(prefix(count)) }
}
