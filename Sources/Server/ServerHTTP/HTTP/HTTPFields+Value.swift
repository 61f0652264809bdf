package import HTTPTypes

extension HTTPFields {
  /// The value of the field `name`, or the list of its values if there are several (RFC 9110 §5.3).
  ///
  /// The subscript gives the same, but makes a list of a single value, too, which costs more.
  package func value(of name: HTTPField.Name) -> String? {
    var value: String?
    for field in self where field.name == name {
      guard value == nil else { return self[name] }
      value = field.value
    }
    return value
  }
}

extension HTTPFields {
  /// The field of that name, which must be a token (RFC 9110 §5.6.2): for names that HTTPTypes does not know.
  package subscript(name: String) -> String? {
    get { HTTPField.Name(name).flatMap { self[$0] } }
    set { if let name = HTTPField.Name(name) { self[name] = newValue } }
  }
}
