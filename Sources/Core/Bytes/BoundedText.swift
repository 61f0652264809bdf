extension String {
  /// The first `count` characters; all of it when it has no more bytes than that, which is quick to check.
  package func bounded(to count: Int) -> String { utf8.count <= count ? self : String(prefix(count)) }
}
