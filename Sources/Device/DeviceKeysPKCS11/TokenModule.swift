internal import Bytes
internal import Concurrency
internal import Cryptoki
internal import DeviceKeys
internal import Dispatch

/// Access to the tokens of one module. Calls run one at a time in this process, because the login state belongs to the whole process, and
/// on a thread that may block.
struct TokenModule: Sendable {
  /// The library's path.
  let path: String
  /// The label or serial number of the token for new keys; `nil` when there is only one.
  let chosen: String?
  private let lane: Lane

  /// A queue that runs the calls of one module one after the other. The first call opens the module.
  private final class Lane: Sendable {
    let queue = DispatchQueue(label: "com.sealring.pkcs11", qos: .userInitiated)
    private let opened = Locked<CryptokiModule?>(nil)

    private static let lanes = Locked<[String: Lane]>([:])

    static func to(_ path: String) -> Lane {
      lanes.withLock { lanes in
        let lane = lanes[path] ?? Lane()
        lanes[path] = lane
        return lane
      }
    }

    func module(_ path: String) throws -> CryptokiModule {
      try opened.withLock { opened in
        if let opened { return opened }
        let module = try CryptokiModule(path: path)
        opened = module
        return module
      }
    }
  }

  init(path: String, chosen: String?) {
    self.path = path
    self.chosen = chosen
    lane = Lane.to(path)
  }

  /// Runs `body` with the module.
  ///
  /// A task that is cancelled meanwhile gets the result nevertheless: a module cannot be interrupted.
  /// - Throws: `CancellationError` when the task is cancelled before; ``DeviceKeyError/unsupported(_:)`` when the module cannot be used or
  ///   gives an unexpected answer; other errors of `body`.
  func run<Result: Sendable>(
    _ body: @escaping @Sendable (CryptokiModule) throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    do {
      return try await withCheckedThrowingContinuation { continuation in
        lane.queue.async { [lane, path] in
          continuation.resume(with: Swift.Result { try body(try lane.module(path)) })
        }
      }
    } catch let error as CryptokiError {
      throw DeviceKeyError.unsupported(
        "The PKCS#11 module \(error.path.onOneLine) cannot be used: \(error.reason.onOneLine).")
    } catch let failure as CryptokiFailure {
      throw DeviceKeyError.unsupported(
        "The PKCS#11 module \(path.onOneLine) did not do what it was asked: \(failure.reason.onOneLine).")
    }
  }

  /// The token for new keys.
  ///
  /// - Throws: ``DeviceKeyError/unsupported(_:)`` when there is none, or several, or it has no PIN.
  func token(_ module: CryptokiModule) throws -> CryptokiToken {
    let all = try CryptokiToken.all(of: module)
    let fitting = all.filter { token in chosen.map { [token.label, token.serial].contains($0) } ?? true }
    let there = all.map { "\($0.label) (\($0.serial))".onOneLine }.joined(separator: ", ")
    guard let token = fitting.first else {
      throw DeviceKeyError.unsupported(
        all.isEmpty
          ? "The PKCS#11 module \(path.onOneLine) finds no token that is set up. Insert the card or token, and try again."
          : "The PKCS#11 module \(path.onOneLine) finds no token \((chosen ?? "").onOneLine). There are: \(there)."
      )
    }
    guard fitting.count == 1 else {
      throw DeviceKeyError.unsupported(
        "There are several tokens. Name the label or serial number of one: \(there).")
    }
    guard token.isLoginRequired, token.hasPIN else {
      throw DeviceKeyError.unsupported(
        "\(token.identity.name.capitalizedFirst) has no PIN, so anyone who holds it could use its keys. Give it one with the tool of its maker."
      )
    }
    return token
  }

  /// The token `identity`.
  func token(_ identity: TokenIdentity, _ module: CryptokiModule) throws -> CryptokiToken {
    let fitting = try CryptokiToken.all(of: module).filter { $0.identity == identity }
    guard let token = fitting.first else {
      throw DeviceKeyError.unsupported(
        "\(identity.name.capitalizedFirst), which has the key, is not there. Insert it and try again; nothing was changed."
      )
    }
    guard fitting.count == 1 else {
      throw DeviceKeyError.unsupported(
        "There are several tokens like \(identity.name), and a PIN is not sent to an uncertain one. Remove the others."
      )
    }
    return token
  }
}

extension String {
  /// The text with its first letter in upper case.
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
