// What an app writes with the guide's text and nothing else: the guide's one import, and its snippets as they are printed,
// with the places filled in that say "Proceed to the next node".
import Foundation
import FRDeviceBinding

final class CustomPinCollector: PinCollector {
  func collectPin(prompt: Prompt, completion: @escaping (String?) -> Void) {
    // Implement your custom app PIN UI...
    completion("471108")
  }
}

// Custom user selector that always returns the most recently created key
class CustomUserKeySelector: UserKeySelector {
  func selectUserKey(userKeys: [UserKey], selectionCallback: @escaping UserKeySelectorCallback) {
    selectionCallback(userKeys.first)
  }
}

enum GuideProgram {
  /// "Handle device binding callbacks"
  static func bind(
    _ callback: DeviceBindingCallback, next: @escaping @Sendable (DeviceBindingStatus?) -> Void
  ) {
    // Provide a friendly name for the device
    callback.setDeviceName("My iOS Device")

    // Bind the device
    callback.bind() { result in
      switch result {
      case .success:
        // Proceed to the next node
        next(nil)
      case .failure(let error):
        // Handle the error and proceed to the next node
        next(error)
      }
    }
  }

  /// "Custom authentication UI"
  static func bindWithPin(
    _ callback: DeviceBindingCallback, next: @escaping @Sendable (DeviceBindingStatus?) -> Void
  ) {
    callback.setDeviceName("My iOS Device")
    callback.bind(
      deviceAuthenticator: { type in
        switch type {
        case .applicationPin:
          return ApplicationPinDeviceAuthenticator(pinCollector: CustomPinCollector())
        default:
          return callback.getDeviceAuthenticator(type: type)
        }
      },
      completion: { result in
        switch result {
        case .success:
          // Proceed to the next node
          next(nil)
        case .failure(let error):
          // Handle the error and proceed to the next node
          next(error)
        }
      })
  }

  /// "Custom authentication prompts"
  static func bindWithPrompt(
    _ callback: Callback, next: @escaping @Sendable (DeviceBindingResult) -> Void
  ) {
    if callback.type == "DeviceBindingCallback",
      let deviceBindingCallback = callback as? DeviceBindingCallback
    {
      let customPrompt = Prompt(
        title: "Custom Title",
        subtitle: "Custom Subtitle",
        description: "Custom Description"
      )
      deviceBindingCallback.bind(prompt: customPrompt) { result in
        /// process the result
        next(result)
      }
      return
    }
  }

  static func signWithPrompt(
    _ callback: Callback, next: @escaping @Sendable (DeviceSigningResult) -> Void
  ) {
    if callback.type == "DeviceSigningVerifierCallback",
      let deviceSigningVerifierCallback = callback as? DeviceSigningVerifierCallback
    {
      let customPrompt = Prompt(
        title: "Custom Title",
        subtitle: "Custom Subtitle",
        description: "Custom Description"
      )
      deviceSigningVerifierCallback.sign(prompt: customPrompt) { result in
        /// process the result
        next(result)
      }
      return
    }
  }

  /// "Handle device signing verifier callbacks"
  static func sign(
    _ callback: DeviceSigningVerifierCallback, next: @escaping @Sendable (DeviceBindingStatus?) -> Void
  ) {
    callback.sign() { result in
      switch result {
      case .success:
        // Proceed to the next node
        next(nil)
      case .failure(let error):
        // Handle the error and proceed to the next node
        next(error)
      }
    }
  }

  /// "Add custom claims when signing"
  static func signWithClaims(
    _ callback: DeviceSigningVerifierCallback, next: @escaping @Sendable (DeviceBindingStatus?) -> Void
  ) {
    callback.sign(
      customClaims: [
        "platform": "iOS",
        "isCompanyPhone": true,
        "lastUpdated": Int(Date().timeIntervalSince1970),
      ]
    ) { result in
      switch result {
      case .success:
        // Proceed to the next node
        next(nil)
      case .failure(let error):
        // Handle the error and proceed to the next node
        if error == .invalidCustomClaims {
          // Fix the invalid custom claims
          print(error.errorMessage)
          next(error)
          return
        }
      }
    }
  }

  /// "Custom key selection UI"
  static func signWithSelector(
    _ callback: DeviceSigningVerifierCallback, next: @escaping @Sendable (DeviceBindingStatus?) -> Void
  ) {
    callback.sign(userKeySelector: CustomUserKeySelector()) { result in
      switch result {
      case .success:
        // Proceed to the next node
        next(nil)
      case .failure(let error):
        // Handle the error and proceed to the next node
        next(error)
      }
    }
  }

  /// "Error handling"
  static func signMappingErrors(
    _ callback: DeviceSigningVerifierCallback, next: @escaping @Sendable (DeviceBindingStatus?) -> Void
  ) {
    callback.sign() { result in
      switch result {
      case .success:
        next(nil)
      case .failure(let error):
        // Custom Error
        if error == DeviceBindingStatus.unRegister {
          callback.setClientError("CustomUnReg")
        }
        next(error)
      }
    }
  }

  /// "Unbind devices by deleting keys"
  static func unbindAll() -> Bool {
    let userKeys = FRUserKeys().loadAll()
    for userKey in userKeys {
      do {
        try FRUserKeys().delete(
          userKey: userKey,
          forceDelete: false
        )
      } catch {
        print("Failed to delete public key from server")
        return false
      }
    }
    return true
  }
}
