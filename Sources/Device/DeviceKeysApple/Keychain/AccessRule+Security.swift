#if canImport(Security)
  internal import DeviceKeys
  internal import Foundation
  internal import Security

  extension AccessRule {
    /// The rule as the keychain takes it.
    ///
    /// - Parameter isEnclaveKey: A key outside the Secure Enclave has no `privateKeyUsage`.
    func accessControl(isEnclaveKey: Bool) throws -> SecAccessControl {
      var flags: SecAccessControlCreateFlags = isEnclaveKey ? [.privateKeyUsage] : []
      switch person {
      case .nothing: break
      case .currentBiometry: flags.insert(.biometryCurrentSet)
      case .biometryOrPasscode: flags.formUnion([.biometryAny, .or, .devicePasscode])
      case .passcode: flags.insert(.devicePasscode)
      case .applicationPIN: flags.insert(.applicationPassword)
      }
      let accessible =
        needsPasscode
        ? kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly : kSecAttrAccessibleWhenUnlockedThisDeviceOnly
      var failure: Unmanaged<CFError>?
      guard let access = SecAccessControlCreateWithFlags(nil, accessible, flags, &failure) else {
        throw AppleFailure(failure).error(doing: "The access control of a key could not be made")
      }
      return access
    }
  }
#endif
