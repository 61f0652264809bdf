import PingBinding
import PingJourneyPlugin
import PingLogger
import PingStorage
import Testing

@Suite struct ModuleTests {
  @Test func `registration is complete when it returns`() async {
    BindingModule.registerCallbacks()
    let callbacks = await CallbackRegistry.shared.callback(from: [
      ["type": "DeviceBindingCallback"], ["type": "DeviceSigningVerifierCallback"],
    ])
    #expect(callbacks.first is DeviceBindingCallback)
    #expect(callbacks.last is DeviceSigningVerifierCallback)
  }

  @Test func `a journey finds the module by its name`() {
    #expect(JourneyModules.linkedProvider("BindingModule", in: "PingBinding") == BindingModule.self)
  }

  @Test func `the constants are the names on the wire`() {
    #expect(Constants.deviceBindingCallback == "DeviceBindingCallback")
    #expect(Constants.jws == "jws" && Constants.clientError == "clientError")
  }
}
