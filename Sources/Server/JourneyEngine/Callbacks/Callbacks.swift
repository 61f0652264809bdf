public import StrictJSON

/// A callback as a node creates it, without its position, which only the page knows.
public struct OutgoingCallback: Sendable, Hashable {
  /// The wire type, for example `NameCallback`.
  public var type: String

  /// Output fields in wire order.
  public var outputs: [Field]

  /// Input fields: the name after the `IDTokenN` stem (empty for the single-input callbacks) and the preset value.
  /// Empty for read-only callbacks.
  public var inputs: [Field]

  public struct Field: Sendable, Hashable {
    public var name: String
    public var value: JSONValue

    public init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  public init(type: String, outputs: [Field], inputs: [Field]) {
    self.type = type
    self.outputs = outputs
    self.inputs = inputs
  }
}

/// The client's answer to a node: for each callback that the node returned, in its order, the input values by
/// suffix (`""`, `jws`, `deviceName`, …). Inputs that the client left out are absent, not empty.
public struct CallbackReply: Sendable, Hashable {
  public var callbacks: [[String: JSONValue]]

  /// Indices of the callbacks that the client did not send back. They are in ``callbacks`` without inputs, so that all others keep their
  /// indices. Scripts do not see them.
  public var omitted: Set<Int>

  public init(callbacks: [[String: JSONValue]], omitted: Set<Int> = []) {
    self.callbacks = callbacks
    self.omitted = omitted
  }

  /// The answer to the `count` callbacks from `start` on.
  func part(from start: Int, count: Int) -> CallbackReply {
    CallbackReply(
      callbacks: Array(callbacks.dropFirst(start).prefix(count)),
      omitted: Set(omitted.lazy.map { $0 - start }.filter { (0..<count).contains($0) }))
  }

  /// The input `suffix` of callback `index`; `nil` when the client sent none.
  public func value(_ suffix: String = "", at index: Int = 0) -> JSONValue? {
    callbacks.indices.contains(index) ? callbacks[index][suffix] : nil
  }

  /// The input `suffix` of callback `index` as text; `nil` for numbers and booleans, too.
  public func text(_ suffix: String = "", at index: Int = 0) -> String? {
    value(suffix, at: index)?.stringValue
  }
}

/// The part of a sent callback that the server keeps to recognise the answer.
struct AskedCallback: Sendable, Hashable {
  let type: String

  /// Names of the inputs after the `IDTokenN` stem; empty for read-only callbacks.
  let suffixes: [String]
}

extension OutgoingCallback {
  var asked: AskedCallback { AskedCallback(type: type, suffixes: inputs.map(\.name)) }

  /// The wire form of the callback at `index` of its page: inputs are named `IDTokenN`, N counted from 1 over all
  /// callbacks of the page, read-only ones too; `_id` is the index itself.
  func wireForm(at index: Int) -> JSONObject {
    var wire: JSONObject = ["type": .string(type), "output": .array(outputs.map { $0.wireForm(stem: "") })]
    if !inputs.isEmpty { wire["input"] = .array(inputs.map { $0.wireForm(stem: "IDToken\(index + 1)") }) }
    wire["_id"] = .integer(Int64(index))
    return wire
  }
}

extension OutgoingCallback.Field {
  fileprivate func wireForm(stem: String) -> JSONValue { ["name": .string(stem + name), "value": value] }
}

/// Matches a client's answers to the callbacks that it was asked.
///
/// Clients may leave out callbacks that they do not show, so an answer's index in the array means nothing. An answer is matched by its
/// input names (`IDTokenN…`) first, then by `_id`, then by the order of callbacks of its type.
struct ReplyMatching {
  private let asked: [AskedCallback]
  private var answers: [[String: JSONValue]?]

  /// Longest accepted text of one input in UTF-8 bytes: enough for a JWS with a certificate chain.
  static let maximumTextBytes = 64 << 10

  /// Returns the answer to `asked`; `nil` when `asked` takes input and the client gave none.
  ///
  /// - Throws: ``JourneyRefusal/badReply(_:)`` when `posted` is malformed or answers something twice.
  static func match(
    _ posted: [JSONValue], to asked: [AskedCallback]
  ) throws(JourneyRefusal) -> CallbackReply? {
    var matching = ReplyMatching(asked)
    try matching.run(posted)
    let takesInput = asked.contains { !$0.suffixes.isEmpty }
    if takesInput, !matching.answers.contains(where: { $0?.isEmpty == false }) { return nil }
    let answers = matching.answers
    return CallbackReply(
      callbacks: answers.map { $0 ?? [:] }, omitted: Set(answers.indices.filter { answers[$0] == nil }))
  }

  private init(_ asked: [AskedCallback]) {
    self.asked = asked
    answers = Array(repeating: nil, count: asked.count)
  }

  private mutating func run(_ posted: [JSONValue]) throws(JourneyRefusal) {
    // Room for callbacks that clients add of their own accord, such as metadata.
    guard posted.count <= asked.count + 32 else { throw .badReply("there are \(posted.count) callbacks") }
    var rest: [PostedCallback] = []
    for (index, value) in posted.enumerated() {
      let callback = try PostedCallback(value, index: index)
      if let place = callback.placeByInputNames, fits(callback, place) {
        try take(callback, at: place)
      } else {
        rest.append(callback)
      }
    }
    var unplaced: [PostedCallback] = []
    for callback in rest {
      if let place = callback.id, fits(callback, place), answers[place] == nil {
        try take(callback, at: place)
      } else {
        unplaced.append(callback)
      }
    }
    for callback in unplaced {
      guard let type = callback.type,
        let place = asked.indices.first(where: { answers[$0] == nil && asked[$0].type == type })
      else { continue }
      try take(callback, at: place)
    }
  }

  private func fits(_ callback: PostedCallback, _ place: Int) -> Bool {
    asked.indices.contains(place) && (callback.type == nil || callback.type == asked[place].type)
  }

  private mutating func take(_ callback: PostedCallback, at place: Int) throws(JourneyRefusal) {
    guard answers[place] == nil else { throw .badReply("callback \(place + 1) is answered twice") }
    let suffixes = asked[place].suffixes
    var values: [String: JSONValue] = [:]
    for (position, input) in callback.inputs.enumerated() {
      let suffix: String
      if let name = input.name {
        // Longest name first: the name of a single input is empty, and every name ends with it.
        guard let known = suffixes.sorted(by: { $0.utf8.count > $1.utf8.count }).first(where: name.ends)
        else { continue }
        suffix = known
      } else {
        guard suffixes.indices.contains(position) else { continue }
        suffix = suffixes[position]
      }
      guard let value = input.value else { continue }
      guard values.updateValue(value, forKey: suffix) == nil else {
        throw .badReply("callback \(place + 1) has two values for one input")
      }
    }
    answers[place] = values
  }
}

/// A callback as a client posted it.
private struct PostedCallback {
  var type: String?
  var id: Int?
  var inputs: [(name: InputName?, value: JSONValue?)] = []

  init(_ value: JSONValue, index: Int) throws(JourneyRefusal) {
    guard let object = value.objectValue else { throw .badReply("callback \(index + 1) is not an object") }
    type = object["type"]?.stringValue
    id = object["_id"]?.integerValue.flatMap { Int(exactly: $0) }
    guard let input = object["input"], !input.isNull else { return }
    guard let entries = input.arrayValue else {
      throw .badReply("the input of callback \(index + 1) is not a list")
    }
    guard entries.count <= 64 else { throw .badReply("callback \(index + 1) has \(entries.count) inputs") }
    for entry in entries {
      guard let entry = entry.objectValue else {
        throw .badReply("an input of callback \(index + 1) is not an object")
      }
      let value = entry.present("value")
      switch value {
      case .array, .object:
        throw .badReply("an input of callback \(index + 1) is neither text, number nor boolean")
      case .string(let text) where text.utf8.count > ReplyMatching.maximumTextBytes:
        throw .badReply(
          "an input of callback \(index + 1) is longer than \(ReplyMatching.maximumTextBytes) bytes")
      default: break
      }
      inputs.append((entry["name"]?.stringValue.flatMap { $0.isEmpty ? nil : InputName($0) }, value))
    }
  }

  /// The index in the page that the first input named `IDTokenN…` refers to.
  var placeByInputNames: Int? { inputs.lazy.compactMap { $0.name?.place }.first }
}

/// An input's name taken apart: `IDToken2jws` is place 1, suffix `jws`; other names have no place.
private struct InputName {
  var place: Int?
  var suffix: Substring

  /// Whether the name ends with these bytes.
  func ends(with text: String) -> Bool { suffix.utf8.suffix(text.utf8.count).elementsEqual(text.utf8) }

  init(_ name: String) {
    suffix = Substring(name)
    guard name.hasPrefix("IDToken") else { return }
    let rest = name.dropFirst("IDToken".count)
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int(digits), number > 0, digits.count <= 4 else { return }
    place = number - 1
    suffix = rest.dropFirst(digits.count)
  }
}
