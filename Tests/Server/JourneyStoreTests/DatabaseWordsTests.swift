import GRDB
import Testing

@testable import JourneyStore

/// What SQLite says reaches nobody: it is said in words of ours, with its number.
@Suite struct DatabaseWordsTests {
  @Test(arguments: 1...28) func `each of SQLite's codes`(code: Int) {
    let message = "database disk image is malformed near \"SELECT\""
    let error = DatabaseError(
      resultCode: ResultCode(rawValue: CInt(code)), message: message, sql: "SELECT secret")
    let translated = StoreError.translating(error, place: "/data/sealring.sqlite", subject: "mira")
    let text = "\(translated)"
    #expect(translated is StoreError)
    for foreign in ["SQLite error", "malformed", "SELECT", "secret", "DatabaseError"] {
      #expect(!text.contains(foreign), "\(text)")
    }
    #expect(text.contains("(SQLite \(code))") || text.contains("mira"), "\(text)")
  }
}
