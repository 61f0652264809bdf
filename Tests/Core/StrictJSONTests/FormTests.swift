import StrictJSON
import Testing

/// Whether a text is the one that `serialized` gives, for what is signed or hashed and has one text only.
@Suite("The one form of an object")
struct FormTests {
  @Test(
    arguments: [
      #"{}"#, #"{"a":1}"#, #"{"b":[],"a":{}}"#, #"{"a":[1,-1,0,1.5,-0.25,1e+20,9223372036854775807]}"#,
      #"{"a":"é\"\\\n\r\t\u0008\u000c\u001f/"}"#, "{\"a\":\"\u{7F}\u{2028}😀\"}",
      #"{"":null,"t":true,"f":false}"#,
      #"{"a":-9223372036854775808}"#, #"{"a":-0.0}"#,
    ])
  func `kept`(text: String) throws { #expect(try isCompact(text)) }

  @Test(
    arguments: [
      #" {}"#, #"{} "#, "{}\n", #"{ }"#, #"{"a": 1}"#, #"{"a" :1}"#, #"{"a":1 }"#, #"{"a":1, "b":2}"#,
      #"{"a":[ ]}"#,
      #"{"a":[1 ,2]}"#, #"{"a":1.0e0}"#, #"{"a":1.50}"#, #"{"a":1e20}"#, #"{"a":1E+20}"#, #"{"a":10e-1}"#,
      #"{"a":-0}"#,
      #"{"a":100000000000000000000}"#, #"{"a":"\u0061"}"#, #"{"\u0061":1}"#, #"{"a":"\/"}"#, #"{"a":"\b"}"#,
      #"{"a":"\f"}"#, #"{"a":"\u000a"}"#, #"{"a":"\u001F"}"#, #"{"a":"\u0022"}"#, #"{"a":"\ud83d\ude00"}"#,
      #"{"a":"\u00e9"}"#, #"{"a":"\u007f"}"#,
    ])
  func `another text of the same object`(text: String) throws { #expect(try !isCompact(text)) }

  @Test func `what is no object says nothing of a form`() {
    for text in ["[]", "{", "1"] {
      var isCompact = true
      #expect(throws: JSONError.self) { try JSONObject(parsing: Array(text.utf8), isCompact: &isCompact) }
    }
  }

  /// What is said, which must be what writing the object again shows.
  private func isCompact(_ text: String) throws -> Bool {
    let bytes = Array(text.utf8)
    var isCompact = false
    let object = try JSONObject(parsing: bytes, isCompact: &isCompact)
    #expect(isCompact == (object.serialized == bytes))
    #expect(object == (try JSONObject(parsing: bytes)))
    return isCompact
  }
}
