#if canImport(Security)
  internal import Foundation
  internal import LocalAuthentication
  internal import Security

  extension AppleFailure {
    /// From what a function of Security.framework left; takes it over.
    init(_ failure: Unmanaged<CFError>?) {
      guard let error = failure?.takeRetainedValue() else {
        self = .other(0)
        return
      }
      if let refused = error as any Error as? LAError {
        self.init(localAuthentication: refused.code.rawValue)
      } else {
        self.init(status: Int32(truncatingIfNeeded: CFErrorGetCode(error)))
      }
    }

    /// From what LocalAuthentication answered.
    init(_ error: any Error) {
      self.init(localAuthentication: (error as? LAError)?.code.rawValue ?? 0)
    }
  }
#endif
