import StrictJSON
import Testing

@Suite("Bounds")
struct LimitTests {
  @Test(arguments: [1, 2, 8, 64])
  func `nesting up to the limit is accepted, one level more is not`(levels: Int) throws {
    let limits = JSONLimits(maximumDepth: levels)
    for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
      let inner = open == "[" ? "" : "1"
      let text = String(repeating: open, count: levels) + inner + String(repeating: close, count: levels)
      #expect(refusal(text, limits: limits) == nil)
      #expect(refusal(open + text + close, limits: limits) == .tooDeep)
    }
  }

  @Test func `depth is how deep, not how many`() {
    let text = "[" + Array(repeating: "[[]],{}", count: 500).joined(separator: ",") + "]"
    #expect(refusal(text, limits: JSONLimits(maximumDepth: 3)) == nil)
  }

  @Test(arguments: ["[", #"{"a":"#, "[[[{\"\":"])
  func `a megabyte of brackets is refused, not recursed into`(unit: String) {
    #expect(refusal(String(repeating: unit, count: 100_000)) == .tooDeep)
  }

  @Test func `text up to the limit is accepted, one byte more is not`() {
    let limits = JSONLimits(maximumBytes: 8)
    #expect(refusal(#""123456""#, limits: limits) == nil)
    #expect(refusal(#""1234567""#, limits: limits) == .tooLarge)
    #expect(refusal("true     ", limits: limits) == .tooLarge)
    #expect(refusal(#""é3456""#, limits: limits) == nil)
    #expect(refusal(#""é34567""#, limits: limits) == .tooLarge)
  }

  @Test func `the standard limits: one mebibyte, 64 levels`() {
    let filler = String(repeating: "a", count: (1 << 20) - 2)
    #expect(refusal("\"\(filler)\"") == nil)
    #expect(refusal("\"\(filler)a\"") == .tooLarge)
    #expect(JSONLimits.standard.maximumDepth == 64)
  }
}
