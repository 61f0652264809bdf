internal import QueryFilters
internal import StrictJSON

/// A step of a CREST patch.
struct PatchOperation: Sendable {
  private enum Kind: String { case add, replace, remove, increment }

  private let kind: Kind
  private let pointer: JSONPointer
  private let value: JSONValue?

  init(_ json: JSONObject) throws(ManagedObjectError) {
    guard let name = json["operation"]?.stringValue, let kind = Kind(rawValue: name) else {
      throw ManagedObjectError(.invalid, "a patch operation is add, replace, remove or increment")
    }
    guard let pointer = json["field"]?.stringValue.flatMap({ JSONPointer($0) }) else {
      throw ManagedObjectError(.invalid, "a patch operation needs a field, which is a JSON pointer")
    }
    self.kind = kind
    self.pointer = pointer
    value = json["value"]
    guard kind == .remove || value != nil else {
      throw ManagedObjectError(.invalid, "the patch of \(pointer.text) needs a value")
    }
  }

  func apply(to object: inout JSONObject) throws(ManagedObjectError) {
    // `/-` at the end adds to a list.
    if pointer.names.last == "-", let list = JSONPointer(pointer.names.dropLast().joined(separator: "/")) {
      guard kind == .add, let value else {
        throw ManagedObjectError(.invalid, "\(pointer.text) can only be added to")
      }
      list.set(.array((list.value(in: object)?.arrayValue ?? []) + [value]), in: &object)
      return
    }
    let present = pointer.value(in: object)
    switch kind {
    case .add:
      if let elements = present?.arrayValue, let value, value.arrayValue == nil {
        pointer.set(.array(elements + [value]), in: &object)
      } else {
        pointer.set(value, in: &object)
      }
    case .replace: pointer.set(value, in: &object)
    case .remove:
      if let value, let elements = present?.arrayValue {
        pointer.set(.array(elements.filter { $0 != value }), in: &object)
      } else {
        pointer.set(nil, in: &object)
      }
    case .increment:
      guard let step = value?.integerValue else {
        throw ManagedObjectError(.invalid, "the increment of \(pointer.text) must be a whole number")
      }
      let (sum, hasOverflown) = (present?.integerValue ?? 0).addingReportingOverflow(step)
      guard !hasOverflown, present.map({ $0.integerValue != nil }) ?? true else {
        throw ManagedObjectError(.invalid, "\(pointer.text) is not a number that can be incremented")
      }
      pointer.set(.integer(sum), in: &object)
    }
  }
}
