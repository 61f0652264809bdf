import Foundation
import PingJourney
import PingJourneyPlugin
import PingOrchestrate
import Testing

@Suite("The callback registry")
struct CallbackRegistryTests {
  private final class Mine: AbstractCallback, JourneyAware, ContinueNodeAware, @unchecked Sendable {
    @Guarded var journey: Journey?
    @GuardedWeak var continueNode: ContinueNode?
  }

  private final class Silent: AbstractCallback, MetadataCallbackProtocol, @unchecked Sendable {}

  @Test func `registration is complete when the call returns, also without awaiting`() async {
    let registry = CallbackRegistry()
    registry.registerSynchronously(type: "A", callback: Mine.self)
    #expect(await registry.type(for: "A") == Mine.self)
    registry.registerIfAbsent(type: "A", callback: Silent.self)
    #expect(await registry.type(for: "A") == Mine.self)
    await registry.register(type: "A", callback: Silent.self)
    #expect(await registry.type(for: "A") == Silent.self)
    #expect(await registry.callbacks.count == 1)
    await registry.reset()
    #expect(await registry.callbacks.isEmpty)
  }

  @Test func `unknown types are kept in their place and logged; metadata is left out`() async throws {
    let registry = CallbackRegistry()
    registry.registerSynchronously(type: "Mine", callback: Mine.self)
    registry.registerSynchronously(type: "Silent", callback: Silent.self)
    let logger = MemoryLogger()
    let json = ["Mine", "Future", "Silent", "Mine"].map { JSONBox(["type": $0]) } + [JSONBox(["no": "type"])]
    let callbacks = await registry.callbacks(from: json, logger: logger)
    #expect(callbacks.map { ($0 as? UnknownCallback)?.type } == [nil, "Future", nil, ""])
    #expect(logger.warnings.count == 2)
    #expect(logger.warnings.first?.contains("'Future'") == true)
  }

  @Test func `the published form reads the same`() async {
    let registry = CallbackRegistry()
    await registry.register(type: "Mine", callback: Mine.self)
    let callbacks = await registry.callback(from: [["type": "Mine"], ["type": "Future"]])
    #expect(callbacks.first is Mine)
    #expect(callbacks.last is UnknownCallback)
  }

  @Test func `callbacks get their node and their journey`() async throws {
    CallbackRegistry.shared.registerSynchronously(type: "InjectedCallback", callback: Mine.self)
    let journey = makeJourney(FakeServer(200, #"{"authId":"a","callbacks":[{"type":"InjectedCallback"}]}"#))
    let node = try #require(await journey.start("Login") as? ContinueNode)
    let callback = try #require(node.callbacks.first as? Mine)
    #expect(callback.journey === journey)
    #expect(callback.continueNode === node)
  }

  @Test func `a step is released although its callbacks know it`() async throws {
    CallbackRegistry.shared.registerSynchronously(type: "InjectedCallback", callback: Mine.self)
    let journey = makeJourney(FakeServer(200, #"{"authId":"a","callbacks":[{"type":"InjectedCallback"}]}"#))
    weak var released: ContinueNode?
    var callback: Mine?
    do {
      let node = try #require(await journey.start("Login") as? ContinueNode)
      callback = node.callbacks.first as? Mine
      released = node
    }
    #expect(released == nil)
    #expect(callback?.continueNode == nil)
  }

  @Test func `every core callback is registered when createJourney returns, and an app's own choice stays`()
    async
  {
    _ = makeJourney(FakeServer())
    let registered = await CallbackRegistry.shared.callbacks
    #expect(
      [
        "BooleanAttributeInputCallback", "ChoiceCallback", "ConfirmationCallback", "ConsentMappingCallback",
        "HiddenValueCallback", "KbaCreateCallback", "MetadataCallback", "NameCallback",
        "NumberAttributeInputCallback", "PasswordCallback", "PollingWaitCallback",
        "StringAttributeInputCallback",
        "SuspendedTextOutputCallback", "TermsAndConditionsCallback", "TextInputCallback",
        "TextOutputCallback",
        "ValidatedCreatePasswordCallback", "ValidatedCreateUsernameCallback",
      ].allSatisfy { registered[$0] != nil })

    CallbackRegistry.shared.registerSynchronously(type: "OverriddenCallback", callback: Mine.self)
    JourneyModules.register(LinkedModule.self)
    _ = makeJourney(FakeServer())
    #expect(await CallbackRegistry.shared.type(for: "OverriddenCallback") == Mine.self)
  }

  @Test func `a module that is linked in is found by its names, without mentioning it`() {
    // In a test bundle the module is the test target; the provider is a class, as optional modules have one.
    let provider = JourneyModules.linkedProvider("LinkedModule", in: "PingJourneyTests")
    #expect(provider == LinkedModule.self)
    #expect(
      JourneyModules.linkedProvider("LinkedEnumeration", in: "PingJourneyTests") == LinkedEnumeration.self)
    #expect(JourneyModules.linkedProvider("BindingModule", in: "NotLinked") == nil)
    #expect(JourneyModules.linkedProvider("Support", in: "PingJourneyTests") == nil)
  }
}

/// What an optional module brings along.
class LinkedModule: CallbackProvider {
  static func registerCallbacks() {
    CallbackRegistry.shared.registerIfAbsent(type: "OverriddenCallback", callback: NameCallback.self)
  }
}

enum LinkedEnumeration: CallbackProvider {
  static func registerCallbacks() {}
}

@Suite("Metadata that announce another callback", .serialized)
struct MetadataTests {
  private final class Announced: AbstractCallback, @unchecked Sendable {
    @Guarded var challenge = ""
    override func initValue(name: String, value: Any) {
      challenge = (value as? [String: Any])?["challenge"] as? String ?? ""
    }
  }

  private func callback(_ data: String) async throws -> (any Callback)? {
    let body =
      #"{"authId":"a","callbacks":[{"type":"MetadataCallback","output":[{"name":"data","value":\#(data)}]}]}"#
    let journey = makeJourney(FakeServer(200, body))
    return try #require(await journey.start("Login") as? ContinueNode).callbacks.first
  }

  @Test(
    arguments: [
      (
        #"{"_type":"PingOneProtect","_action":"protect_initialize","challenge":"c"}"#,
        "PingOneProtectInitializeCallback"
      ),
      (
        #"{"_type":"PingOneProtect","_action":"protect_risk_evaluation","challenge":"c"}"#,
        "PingOneProtectEvaluationCallback"
      ),
      (#"{"_action":"webauthn_registration","challenge":"c"}"#, "FidoRegistrationCallback"),
      (#"{"_type":"WebAuthn","pubKeyCredParams":[],"challenge":"c"}"#, "FidoRegistrationCallback"),
      (#"{"_type":"WebAuthn","_pubKeyCredParams":[],"challenge":"c"}"#, "FidoRegistrationCallback"),
      (#"{"_action":"webauthn_authentication","challenge":"c"}"#, "FidoAuthenticationCallback"),
      (#"{"_type":"WebAuthn","allowCredentials":"","challenge":"c"}"#, "FidoAuthenticationCallback"),
      (#"{"_type":"WebAuthn","_allowCredentials":[],"challenge":"c"}"#, "FidoAuthenticationCallback"),
    ])
  func `rules`(data: String, type: String) throws {
    let metadata = MetadataCallback()
    metadata.initValue(name: "data", value: try object(data))
    #expect(metadata.announcedType == type)
  }

  @Test func `a registered class of the announced type takes the data`() async throws {
    // The process's registry has the real one when its module is in it; journeys of other tests use that registry, too.
    let type = "FidoRegistrationCallback"
    let before = CallbackRegistry.shared.registeredType(for: type)
    defer { if let before { CallbackRegistry.shared.registerSynchronously(type: type, callback: before) } }
    CallbackRegistry.shared.registerSynchronously(type: type, callback: Announced.self)
    let data = #"{"_action":"webauthn_registration","challenge":"c"}"#
    let announced = try #require(try await callback(data) as? Announced)
    #expect(announced.challenge == "c")
  }

  private func synchronously(_ json: [String: Any]) -> any Callback {
    MetadataCallback().initialize(with: json)
  }

  @Test(
    arguments: [
      #"{"stage":"x"}"#, #"{"_type":"WebAuthn"}"#, #"{"_type":"PingOneProtect","_action":"other"}"#,
      #"{"pubKeyCredParams":[]}"#, #""text""#,
    ])
  func `other data are not in the node`(data: String) async throws {
    #expect(try await callback(data) == nil)
  }

  @Test func `an announced type that nobody has registered stays metadata, in both forms of initialize`()
    async throws
  {
    let json = try object(
      #"{"output":[{"name":"data","value":{"_action":"webauthn_registration_2","stage":"x"}}]}"#)
    for callback in [synchronously(json), await MetadataCallback().initialize(with: json)] {
      #expect((callback as? MetadataCallback)?.value["stage"] as? String == "x")
    }
  }
}
