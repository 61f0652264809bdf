import AttestationAuthority
import DeviceKeys
import JourneyStore
import PingBinding
import PingDeviceClient
import PingOath
import PingOidc
import PingPush
import StrictJSON

extension DeviceKeyError {
  /// The kind of failure, for programs.
  var code: CommandFailure.Code {
    switch self {
    case .notFound, .lost: .notFound
    case .exists: .conflict
    case .wrongPIN: .wrongSecret
    case .lockedOut, .disabled: .locked
    case .busy: .busy
    case .unsupported: .unsupported
    case .unreadable: .damaged
    case .unwritable: .failed
    }
  }
}

extension DeviceError {
  var code: CommandFailure.Code {
    switch self {
    case .requestFailed(let status, _): CommandFailure.code(forStatus: status)
    case .networkError: .unreachable
    default: .failed
    }
  }
}

extension UnbindingError {
  /// The kind of failure, for programs: that of the server's answer if the server refused.
  var code: CommandFailure.Code {
    guard case .kept(let cause) = record else { return .failed }
    return (cause as? DeviceError)?.code ?? (cause as? CommandFailure)?.code ?? .failed
  }
}

extension StoreError {
  var code: CommandFailure.Code {
    switch self {
    case .conflict, .lastAdministrator: .conflict
    case .missing: .notFound
    case .unauthorized: .forbidden
    case .corrupt: .damaged
    case .exhausted, .unavailable: .failed
    }
  }
}

extension CommandFailure {
  /// Explains any error in plain words.
  static func of(_ error: any Error) -> CommandFailure {
    FailureReport.known(error) as? CommandFailure
      ?? CommandFailure(PlainReason.of(error), code: PlainReason.code(of: error))
  }

  /// Reports the failure on standard error while the command continues.
  func report(json: Bool) { Output.remark(json ? self.json.lineText : "Error: \(description)") }
}

extension FailureReport {
  /// Translates errors of lower modules that reach the end of a command, with their kind.
  static func known(_ error: any Error) -> any Error {
    switch error {
    case let error as DeviceKeyError: CommandFailure(PlainReason.of(error), code: error.code)
    case DeviceError.networkError(let cause) where PlainReason.isForeign(cause): known(cause)
    case let error as OidcError: CommandFailure.of(oidc: error)
    case let error as DeviceError:
      error.neededStepUp.map { CommandFailure.forbidden(StepUpOptions.advice($0)) }
        ?? CommandFailure(PlainReason.of(error), code: error.code)
    case let error as PushError: CommandFailure.of(push: error)
    case let error as OathError: CommandFailure.of(oath: error)
    case let error as OathStorageError:
      CommandFailure("\(PlainReason.of(error)) Check the folder SEALRING_HOME and who may write there.")
    case let error as StoreError: CommandFailure(sentence(PlainReason.of(error)), code: error.code)
    case let error as AttestationAuthorityError: CommandFailure.invalid(PlainReason.of(error))
    default: PlainReason.failure(error)
    }
  }
}
