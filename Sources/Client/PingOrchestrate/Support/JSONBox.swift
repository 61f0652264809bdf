/// A JSON object in the published API's form: `[String: Any]`.
// Values are what a JSON parser yields (strings, numbers, booleans, NSNull, and arrays and dictionaries of them) or what
// can be written as JSON: immutable values, safe to read from any thread.
package struct JSONBox: @unchecked Sendable {
  package var object: [String: Any]

  package init(_ object: [String: Any] = [:]) { self.object = object }
}
