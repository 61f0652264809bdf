import PingBinding
import PingJourneyPlugin
import PingLogger
import PingStorage
import Testing

@Suite struct ModuleTests {
  @Test func registrationIsCompleteWhenItReturns() async {
    BindingModule.registerCallbacks()
    let callbacks = await CallbackRegistry.shared.callback(from: [
      ["type": "DeviceBindingCallback"], ["type": "DeviceSigningVerifierCallback"],
    ])
    #expect(callbacks.first is DeviceBindingCallback)
    #expect(callbacks.last is DeviceSigningVerifierCallback)
  }

  @Test func aJourneyFindsTheModuleByItsName() {
    #expect(JourneyModules.linkedProvider("BindingModule", in: "PingBinding") == BindingModule.self)
  }

  @Test func theConstantsAreTheNamesOnTheWire() {
    #expect(Constants.deviceBindingCallback == "DeviceBindingCallback")
    #expect(Constants.jws == "jws" && Constants.clientError == "clientError")
  }
}
