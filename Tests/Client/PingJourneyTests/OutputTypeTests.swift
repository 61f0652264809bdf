import Foundation
import PingJourney
import PingJourneyPlugin
import PingOrchestrate
import Testing

@Suite("Output values of another JSON type than expected")
struct OutputTypeTests {
  @Test(arguments: [123, 1.5, true, ["a"], ["k": 1]] as [any Sendable])
  func `a number was read as text`(value: any Sendable) {
    let name = NameCallback()
    name.initValue(name: "prompt", value: value)
    let text = TextInputCallback()
    text.initValue(name: "defaultText", value: value)
    let hidden = HiddenValueCallback()
    hidden.initValue(name: "id", value: value)
    let consent = ConsentMappingCallback()
    consent.initValue(name: "message", value: value)
    let terms = TermsAndConditionsCallback()
    terms.initValue(name: "version", value: value)
    let attribute = StringAttributeInputCallback()
    attribute.initValue(name: "value", value: value)
    #expect(
      [name.prompt, text.text, hidden.valueId, consent.message, terms.version] == ["", "", "", "", ""])
    #expect(attribute.value == "")
  }

  @Test(arguments: ["1", "true", 1] as [any Sendable])
  func `text was read as a number or as a flag`(value: any Sendable) {
    let attribute = BooleanAttributeInputCallback()
    attribute.initValue(name: "value", value: value)
    attribute.initValue(name: "required", value: value)
    attribute.initValue(name: "validateOnly", value: value)
    let password = ValidatedPasswordCallback()
    password.initValue(name: "echoOn", value: value)
    let question = KbaCreateCallback()
    question.initValue(name: "allowUserDefinedQuestions", value: value)
    let consent = ConsentMappingCallback()
    consent.initValue(name: "isRequired", value: value)
    #expect(!attribute.value && !attribute.required && !attribute.validateOnly)
    #expect(!password.echoOn && !question.allowUserDefinedQuestions && !consent.isRequired)
  }

  @Test(arguments: ["1", true, 1.5] as [any Sendable])
  func `text and flags were read as whole numbers`(value: any Sendable) {
    let choice = ChoiceCallback()
    choice.initValue(name: "defaultChoice", value: value)
    #expect(choice.defaultChoice == 0 && choice.selectedIndex == 0)
    let confirmation = ConfirmationCallback()
    confirmation.initValue(name: "optionType", value: value)
    confirmation.initValue(name: "messageType", value: value)
    #expect(confirmation.optionType == .unknown && confirmation.messageType == .unknown)
  }

  @Test func `a list with something else than texts was read in part`() {
    let choice = ChoiceCallback()
    choice.initValue(name: "choices", value: ["a", 1] as [Any])
    #expect(choice.choices.isEmpty)
    choice.initValue(name: "choices", value: ["a", "b"])
    #expect(choice.choices == ["a", "b"])
  }

  @Test(
    arguments: [
      (7, 7), (7.0, 7), ("7", 7), ("123.45", 123.45), ("-1.5e3", -1500),
      (String(repeating: "9", count: 300), 1e300),
    ] as [(any Sendable, Double)])
  func `a number attribute takes numbers, and their text`(value: any Sendable, number: Double) {
    let attribute = NumberAttributeInputCallback()
    attribute.initValue(name: "value", value: value)
    #expect(attribute.value == number)
  }

  @Test(
    arguments: [
      "", " ", "seven", "nan", "inf", "0x10", "1,5", "true", String(repeating: "9", count: 400), true,
    ] as [any Sendable])
  func `a number attribute takes no other text, and no flag`(value: any Sendable) {
    let attribute = NumberAttributeInputCallback()
    attribute.initValue(name: "value", value: value)
    #expect(attribute.value == 0)
  }
}
