import BindingFormats
import JourneyEngine
import JourneyNodes
import StrictJSON
import Testing

@Suite("Transaction Collector node")
struct TransactionCollectorTests {
  @Test(arguments: [[:], ["sharedStateAttribute": "payment"]] as [JSONObject])
  func `the text becomes the named variable, unchanged`(properties: JSONObject) async throws {
    var visit = try await World().visit("TransactionCollectorNode", properties)
    let asked = try #require(try await visit.ask().first)
    #expect(asked.type == "TextInputCallback")
    #expect(asked.outputs == [.init("prompt", "Transaction"), .init("defaultText", "")])
    let text: JSONValue = " Pay 1 €\nto Babs "
    #expect(try await visit.answer(["": text]) == .outcome("outcome"))
    #expect(visit.state.shared[properties.isEmpty ? "transaction" : "payment"] == text)
  }

  @Test func `the prompt follows the request's locale`() async throws {
    var visit = try await World().visit(
      "TransactionCollectorNode", ["prompt": ["de": "Zahlung", "en": "Payment"]])
    visit.request.locales = ["de"]
    #expect(try await visit.ask().first?.output("prompt") == "Zahlung")
  }

  @Test func `500 characters are accepted, however many bytes they have`() async throws {
    var visit = try await World().visit("TransactionCollectorNode")
    #expect(try await visit.answer(["": .string(String(repeating: "€", count: 500))]) == .outcome("outcome"))
  }

  @Test(
    arguments: [
      [:], ["": ""], ["": 5], ["": .string(String(repeating: "x", count: 501))], ["": "Pay\u{8}1"],
      ["": "Pay\u{1b}[2K"], ["": .string(String(repeating: "x\n", count: 11))], ["": "Pay 10\u{200B}0"],
    ] as [[String: JSONValue]])
  func `what nobody can read and confirm is asked for again`(inputs: [String: JSONValue]) async throws {
    var visit = try await World().visit("TransactionCollectorNode")
    let result = try await visit.answer(inputs)
    #expect(try visit.callbacks(of: result).count == 1)
    #expect(visit.state.shared["transaction"] == nil)
  }

  @Test func `a text that could be a server's challenge is asked for again, and the log says why`()
    async throws
  {
    for text in [
      "LtHR1cbgkl0yPGoPCmiCpjwIT8xjdphFe5P69z2SWmg=", String(repeating: "A", count: 43) + "=",
      String(repeating: "-", count: 43) + "=",
    ] {
      var visit = try await World().visit("TransactionCollectorNode")
      #expect(try visit.callbacks(of: await visit.answer(["": .string(text)])).count == 1)
      #expect(visit.state.shared["transaction"] == nil)
      #expect(visit.reasons == [ProofFailure.challengeReserved.text])
    }
  }

  @Test(arguments: ["", "username"])
  func `the variable is not the user's name`(name: String) async throws {
    let world = try await World()
    let error = try #require(throws: JourneyFileError.self) {
      try world.node("TransactionCollectorNode", ["sharedStateAttribute": .string(name)])
    }
    #expect(error.property == "sharedStateAttribute")
  }
}
