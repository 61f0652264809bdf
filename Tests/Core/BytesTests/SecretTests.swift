import Bytes
import Testing

struct ConstantTimeTests {
  @Test func `equal bytes are equal whatever holds them`() {
    #expect(ConstantTime.areEqual([1, 2, 3], [1, 2, 3]))
    #expect(ConstantTime.areEqual("abc".utf8, Array("abc".utf8)))
    let bytes: [UInt8] = [1, 2, 3, 4]
    #expect(ConstantTime.areEqual(bytes[1...2], AnyCollection([UInt8]([2, 3]))))
    #expect(ConstantTime.areEqual([UInt8](), "".utf8))
  }

  @Test func `every bit counts`() {
    let bytes = SystemRandom.bytes(32)
    for index in bytes.indices {
      for bit in 0..<8 {
        var other = bytes
        other[index] ^= 1 << bit
        #expect(!ConstantTime.areEqual(bytes, other))
      }
    }
  }

  @Test func `a prefix is not equal`() {
    #expect(!ConstantTime.areEqual([1, 2], [1, 2, 0]))
    #expect(!ConstantTime.areEqual([1, 2, 0], [1, 2]))
    #expect(!ConstantTime.areEqual([UInt8](), [0]))
  }

  /// Texts that look the same are different secrets.
  @Test func `texts are compared by their bytes`() {
    #expect("e\u{301}" == "é")
    #expect(!ConstantTime.areEqual("e\u{301}".utf8, "é".utf8))
  }
}

struct SystemRandomTests {
  private struct Counter: RandomNumberGenerator {
    var count: UInt64 = 0

    mutating func next() -> UInt64 {
      count += 1
      return count
    }
  }

  @Test func `no two answers are the same`() {
    #expect(Set((0..<100).map { _ in SystemRandom.bytes(16) }).count == 100)
    #expect(SystemRandom.bytes(0).isEmpty)
  }

  /// The system gives 256 at a time. A byte that nobody filled would be the same in nearly all of so many.
  @Test(arguments: [1, 255, 256, 257, 512, 1000])
  func `every byte is drawn`(count: Int) {
    let drawn = (0..<64).map { _ in SystemRandom.bytes(count) }
    #expect(drawn.allSatisfy { $0.count == count })
    for place in 0..<count { #expect(Set(drawn.map { $0[place] }).count > 8, "byte \(place)") }
  }

  @Test func `a generator of the caller's is used up eight bytes at a time`() {
    var generator = Counter()
    let bytes = SystemRandom.bytes(20, using: &generator)
    #expect(bytes.count == 20 && generator.count == 3)
    #expect(bytes.filter { $0 != 0 }.sorted() == [1, 2, 3])
  }
}

struct RedactedTests {
  private struct Key: Redacted { let bytes = "very secret" }
  private final class Holder: Redacted { let key = "very secret" }
  private struct Session { let key = Key() }

  @Test func `nothing that prints shows a secret`() {
    for value in [Key(), Holder(), Session()] as [Any] {
      var dumped = ""
      dump(value, to: &dumped)
      let texts = ["\(value)", String(reflecting: value), dumped]
      #expect(texts.allSatisfy { !$0.contains("secret") && $0.contains("redacted") }, "\(texts)")
    }
    #expect(Mirror(reflecting: Key()).children.isEmpty)
  }
}
