import Foundation
import PingBinding
import PingLogger

// What the app of the guide has around the code.
final class ViewModel { var error: (any Error)? }
final class CustomPinCollector: PinCollector {
  func collectPin(prompt: Prompt, completion: @escaping @Sendable (String?) -> Void) { completion(nil) }
}
final class CustomUserKeySelector: UserKeySelector {
  func selectKey(userKeys: [UserKey], prompt: Prompt) async -> UserKey? { userKeys.first }
}

func around(
  callback: DeviceBindingCallback, viewModel: ViewModel, myCustomLogger: any Logger, onNext: () -> Void
) async throws {
  // block
}
