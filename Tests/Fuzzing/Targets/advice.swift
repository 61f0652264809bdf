extension FuzzTarget {
  /// PingAM's advices are bounded, and nothing is left of XML in them.
  static let advice = FuzzTarget(text: { text in
    guard let advice = CompositeAdvice(parsing: text) else { return }
    expect(text.utf8.count <= CompositeAdvice.maximumBytes, "a long advice is read")
    expect((1...8).contains(advice.attributes.count), "there are too many attributes")
    for (name, values) in advice.attributes {
      expect(!name.isEmpty && (1...8).contains(values.count), "an attribute has no name or no values")
      expect(values.allSatisfy { !$0.isEmpty && text.utf8.count > $0.utf8.count }, "a value is made up")
    }
  })
}
