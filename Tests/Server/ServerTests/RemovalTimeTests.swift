import Foundation
import Testing

@testable import Operations

/// Used-up steps and proofs are forgotten by this time.
struct RemovalTimeTests {
  private let noon = Date(timeIntervalSince1970: 1_800_000_000)

  @Test func `with a clock that is right it is now`() {
    var removal = RemovalTime(start: noon)
    for minute in 1..<200 {
      let seconds = Double(minute) * 60
      #expect(removal.next(noon + seconds, uptime: seconds) == noon + seconds)
    }
  }

  @Test func `a clock that is set ahead for less than an hour removes nothing too early`() {
    var removal = RemovalTime(start: noon)
    for minute in 1..<60 {
      let seconds = Double(minute) * 60
      #expect(removal.next(noon + 86_400 + seconds, uptime: seconds) == noon + seconds)
    }
    #expect(removal.next(noon + 3600, uptime: 3600) == noon + 3600)
  }

  @Test func `a clock that stays ahead is followed after an hour`() {
    var removal = RemovalTime(start: noon)
    #expect(removal.next(noon + 86_400 + 60, uptime: 60) == noon + 60)
    #expect(removal.next(noon + 86_400 + 3661, uptime: 3661) == noon + 86_400 + 3661)
  }

  @Test func `a clock that is set back is followed at once`() {
    var removal = RemovalTime(start: noon)
    #expect(removal.next(noon - 3540, uptime: 60) == noon - 3540)
  }
}
