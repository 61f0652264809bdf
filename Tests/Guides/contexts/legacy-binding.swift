import FRDeviceBinding
import Foundation

final class CustomPinCollector: PinCollector {
  func collectPin(prompt: Prompt, completion: @escaping (String?) -> Void) { completion(nil) }
}
final class CustomUserKeySelector: UserKeySelector {
  func selectUserKey(userKeys: [UserKey], selectionCallback: @escaping UserKeySelectorCallback) {
    selectionCallback(nil)
  }
}

func around(callback: DeviceBindingCallback) {
  // block
}
