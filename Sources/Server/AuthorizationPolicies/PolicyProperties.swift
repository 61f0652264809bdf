internal import StrictJSON

/// The members of one object in a policy, and its position there. Collects warnings.
struct PolicyProperties {
  let file: String
  let policy: String
  let object: JSONObject

  /// The names around the object, outermost first.
  let path: String

  func wrong(_ name: String, _ problem: String) -> PolicyFileError {
    PolicyFileError(file: file, policy: policy, property: place(name), problem: problem)
  }

  func warning(_ name: String, _ problem: String) -> PolicyWarning {
    PolicyWarning(file: file, policy: policy, property: place(name), problem: problem)
  }

  private func place(_ name: String) -> String {
    path.isEmpty ? name : name.isEmpty ? path : "\(path).\(name)"
  }

  /// `null` counts as absent.
  subscript(name: String) -> JSONValue? { object[name].flatMap { $0.isNull ? nil : $0 } }

  func inner(_ name: String) throws(PolicyFileError) -> PolicyProperties {
    guard let inner = self[name]?.objectValue else { throw wrong(name, "must be an object") }
    return PolicyProperties(file: file, policy: policy, object: inner, path: place(name))
  }

  func list(_ name: String, limit: Int) throws(PolicyFileError) -> [PolicyProperties] {
    guard let values = self[name]?.arrayValue, values.count <= limit else {
      throw wrong(name, "must be a list of at most \(limit) objects")
    }
    var objects: [PolicyProperties] = []
    for (index, value) in values.enumerated() {
      guard let object = value.objectValue else { throw wrong("\(name)[\(index)]", "must be an object") }
      objects.append(
        PolicyProperties(file: file, policy: policy, object: object, path: "\(place(name))[\(index)]"))
    }
    return objects
  }

  /// - Returns: `nil` when there is no such member, or an empty text.
  func optionalText(_ name: String) throws(PolicyFileError) -> String? {
    guard let value = self[name] else { return nil }
    guard let text = value.stringValue, text.utf8.count <= PolicyLimits.textBytes else {
      throw wrong(name, "must be a text of at most \(PolicyLimits.textBytes) bytes")
    }
    return text.isEmpty ? nil : text
  }

  func text(_ name: String) throws(PolicyFileError) -> String {
    guard let text = try optionalText(name) else { throw wrong(name, "is missing") }
    return text
  }

  /// A list of texts; none when there is no such member.
  func texts(_ name: String) throws(PolicyFileError) -> [String] {
    guard let value = self[name] else { return [] }
    let problem = "must be a list of at most \(PolicyLimits.values) texts"
    guard let values = value.arrayValue, values.count <= PolicyLimits.values else {
      throw wrong(name, problem)
    }
    var texts: [String] = []
    for value in values {
      guard let text = value.stringValue, text.utf8.count <= PolicyLimits.textBytes else {
        throw wrong(name, problem)
      }
      texts.append(text)
    }
    return texts
  }

  func number(_ name: String) throws(PolicyFileError) -> Int {
    let value = self[name]
    guard let number = value?.integerValue ?? value?.stringValue.flatMap({ Int64($0) }),
      (0...1_000_000_000).contains(number)
    else { throw wrong(name, "must be a number from 0 to 1000000000") }
    return Int(number)
  }

  func flag(_ name: String, default preset: Bool) throws(PolicyFileError) -> Bool {
    guard let value = self[name] else { return preset }
    guard let flag = value.boolValue else { throw wrong(name, "must be true or false") }
    return flag
  }
}

/// Limits of a realm's policies and of requests to them.
package enum PolicyLimits {
  /// Longest file in bytes.
  package static let fileBytes = 4 << 20
  static let policies = 1000
  static let textBytes = 2048
  static let values = 200
  static let wildcards = 16

  /// Deepest nesting of subjects and conditions, and how many there are in one policy.
  static let depth = 16
  static let parts = 200

  /// Resources of one request.
  static let resources = 100

  /// How much one run of a script may compare, in bytes of resources and patterns, and in values.
  package static let work = 8_000_000
}

/// What an evaluation may still cost.
package struct PolicyBudget: Sendable {
  package private(set) var left: Int

  package init(_ left: Int = PolicyLimits.work) { self.left = left }

  mutating func spend(_ amount: Int) throws(PolicyRequestError) {
    left -= amount
    guard left >= 0 else {
      throw PolicyRequestError("evaluating these policies costs more than a script may; ask for less at once")
    }
  }
}
