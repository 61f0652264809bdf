import Foundation
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
}
