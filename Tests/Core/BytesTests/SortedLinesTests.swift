import Bytes
import Testing

@Suite("Sorted lines") struct SortedLinesTests {
  @Test(arguments: ["", "a\n", "a\nab\n", "!x\n*.b\na\nab\nb-c\nb.c\nzz\n"])
  func `each line is found, and nothing beside it`(text: String) {
    let bytes = Array(text.utf8)
    let lines = text.split(separator: "\n").map(String.init)
    bytes.withUnsafeBufferPointer { list in
      for line in lines {
        #expect(list.hasSortedLine(line))
        #expect(!list.hasSortedLine(line + "0"))
        #expect(!list.hasSortedLine("0" + line))
      }
      for other in ["", "\n", "aa", "b", "b-", "zzz", "é"] { #expect(!list.hasSortedLine(other)) }
    }
  }
}
