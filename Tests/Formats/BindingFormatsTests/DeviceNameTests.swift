import BindingFormats
import Testing

@Suite("Device names") struct DeviceNameTests {
  private static func long(_ count: Int) -> String { String(repeating: "n", count: count) }

  @Test(
    arguments: [
      ("Phone", "Phone"), ("  Mira's phone \n", "Mira's phone"), ("📱", "📱"), (long(120), long(120)),
      (" " + long(120) + " ", long(120)), ("", nil), (" \t ", nil), (long(121), nil), ("a\u{7}b", nil),
      ("a\nb", nil), ("a\u{85}b", nil),
    ] as [(String, String?)])
  func `a name is trimmed, and has 1 to 120 code points and no control characters`(
    given: String, name: String?
  ) { #expect(DeviceName(given)?.text == name) }

  @Test(
    arguments: [
      ("  Mira's phone \n", "Mira's phone"), ("", "Key"), (" \t ", "Key"), ("\u{0}\u{1b}", "Key"),
      ("a\u{0}b\u{1b}c", "abc"), (long(200), long(120)),
      (long(119) + " " + long(9), long(119)),
      // Five code points each: cut between characters.
      (String(repeating: "👩‍👩‍👧", count: 120), String(repeating: "👩‍👩‍👧", count: 24)),
      // One character of more code points than a name may have.
      ("a" + String(repeating: "\u{301}", count: 200), "Key"),
    ])
  func `of a name that a device gives itself, as much is kept as can be`(given: String, name: String) {
    #expect(DeviceName(fitting: given, standard: "Key").text == name)
  }

  @Test func `counted in characters, a name was stored that the REST interface refused to write back`() {
    for given in [String(repeating: "👩‍👩‍👧", count: 60), Self.long(119) + " x", "e\u{301}" + Self.long(130)] {
      let stored = DeviceName(fitting: given, standard: "Key").text
      #expect(DeviceName(stored)?.text == stored)
    }
  }
}
