import Foundation
import ServerCommand
import StrictJSON
import Testing

@Suite("Lists declared once") struct ColumnTests {
  private struct Key {
    var id: String
    var realm: String?
    var uses: Int
    var made: Date?
  }

  private static var columns: [Column<Key>] {
    [
      Column("KEY", "id") { $0.id }, Column("SHORT") { String($0.id.prefix(1)) },
      Column("REALM", "realm", none: "-") { $0.realm }, Column("USES", "uses", number: \.uses),
      Column("MADE", "made", time: \.made), Column(member: "used") { .bool($0.uses > 0) },
    ]
  }

  @Test func `the JSON has the members in the columns' order, and null for what is not there`() {
    let whole = Key(id: "one", realm: "alpha", uses: 2, made: Date(timeIntervalSince1970: 0))
    #expect(
      JSONValue.object(Self.columns.record(of: whole)).text
        == #"{"id":"one","realm":"alpha","uses":2,"made":"1970-01-01T00:00:00Z","used":true}"#)
    let bare = Key(id: "two", uses: 0)
    #expect(
      JSONValue.object(Self.columns.record(of: bare)).text
        == #"{"id":"two","realm":null,"uses":0,"made":null,"used":false}"#)
  }
}
