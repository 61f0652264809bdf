import Foundation
import StrictJSON
import Testing

@testable import JourneyEngine

@Suite("The account that a run is about") struct FoundAccountTests {
  private func state(_ name: String, _ id: String) -> JourneyState {
    var state = JourneyState()
    state.username = name
    state.noteAccount(id)
    return state
  }

  @Test func `it is known by its id for the name under which it was found, in any case`() {
    var state = state("Ada", "1")
    #expect(state.accountID == "1")
    state.username = "ADA"
    #expect(state.accountID == "1")
    state.username = "bob"
    #expect(state.accountID == nil)
    state.username = nil
    #expect(state.accountID == nil)
    state.noteAccount("2")
    #expect(state.accountID == nil)
  }

  @Test func `what was proven of another account of the name counts no more`() {
    var state = state("ada", "1")
    state.noteAuthentication(at: Date(timeIntervalSince1970: 9), by: "passkey")
    state.changeAuthLevel(by: 5)
    state.noteAccount("1")
    #expect(state.authLevel == 5 && state.factors == ["passkey"])
    state.noteAccount("2")
    #expect(state.accountID == "2" && state.authLevel == 0 && state.factors.isEmpty)
    #expect(state.authenticatedAt == nil)
  }

  @Test func `it stays when the run turns to another user and proves that one`() {
    var state = state("ada", "1")
    state.noteAuthentication(at: Date(timeIntervalSince1970: 9), by: "password")
    state.username = "bob"
    state.noteAccount("2")
    state.noteAuthentication(at: Date(timeIntervalSince1970: 10), by: "passkey")
    #expect(state.accountID == "2" && state.factors == ["passkey"])
  }

  @Test func `an authId is as long for a name that nobody has as for one that somebody has`() {
    func size(_ state: JourneyState) -> Int {
      JourneyPosition(
        journey: "j", realm: "alpha", node: "n", notes: [:], state: state, options: JourneyOptions(),
        asked: [],
        startedAt: 0, expiresAt: 1
      ).serialized.count
    }
    let known = state("ada", UUID().uuidString)
    var unknown = state("somebody else", UUID().uuidString)
    unknown.username = "ada"
    unknown.noteNoAccount()
    #expect(unknown.accountID == nil && size(unknown) == size(known))
    // An account that was found is not forgotten when it is deleted.
    var deleted = known
    deleted.noteNoAccount()
    #expect(deleted.accountID == known.accountID)
    // The run may make the account.
    unknown.changeAuthLevel(by: 2)
    unknown.noteAccount("2")
    #expect(unknown.accountID == "2" && unknown.authLevel == 2)
  }
}
