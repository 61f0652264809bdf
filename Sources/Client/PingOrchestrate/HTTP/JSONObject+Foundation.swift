internal import Foundation
internal import StrictJSON

extension JSONObject {
  /// The members with the types that apps know from `JSONSerialization`: a number is an `NSNumber`, which can be taken as `Int` and as
  /// `Double`.
  var foundationDictionary: [String: Any] {
    Dictionary(map { ($0.name, $0.value.foundationValue) }) { $1 }
  }
}

extension JSONValue {
  fileprivate var foundationValue: Any {
    switch self {
    case .null: NSNull()
    case .bool(let value): NSNumber(value: value)
    case .integer(let value): NSNumber(value: value)
    case .number(let value): NSNumber(value: value)
    case .string(let value): value
    case .array(let elements): elements.map(\.foundationValue)
    case .object(let object): object.foundationDictionary
    }
  }
}
