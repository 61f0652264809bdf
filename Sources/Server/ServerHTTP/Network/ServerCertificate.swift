internal import Concurrency
package import Foundation
package import Logging
internal import NIOSSL
package import Operations

/// The certificate of new connections. It can be reloaded at any time; open connections stay as they are.
package final class ServerCertificate: Sendable {
  struct Current: Sendable {
    let configuration: TLSConfiguration

    /// Increases with each certificate.
    let version: Int
  }

  private struct State: Sendable {
    var current: Current

    /// What the files held at the last attempt to load them.
    var tried: [UInt8]?

    /// What the files held at the last check, if that differed from the last attempt.
    var changing: [UInt8]??
  }

  private let files: TLSFiles
  private let clock: @Sendable () -> Date
  private let logger: Logger
  private let state: Locked<State>

  /// - Throws: ``ServerSetupError`` when the files cannot be used.
  package init(_ files: TLSFiles, clock: @escaping @Sendable () -> Date, logger: Logger)
    throws(ServerSetupError)
  {
    self.files = files
    self.clock = clock
    self.logger = logger
    let fingerprint = files.fingerprint
    let (configuration, expiry) = try files.load()
    state = Locked(State(current: Current(configuration: configuration, version: 1), tried: fingerprint))
    warn(expiry)
  }

  var current: Current { state.withLock { $0.current } }

  /// Reloads the files. A failure is logged, and the certificate stays.
  package func reload() {
    let fingerprint = files.fingerprint
    do {
      let (configuration, expiry) = try files.load()
      state.withLock {
        $0.current = Current(configuration: configuration, version: $0.current.version + 1)
        $0.tried = fingerprint
        $0.changing = nil
      }
      logger.notice("the certificate was reloaded; new connections use it", metadata: metadata)
      warn(expiry)
    } catch {
      state.withLock {
        $0.tried = fingerprint
        $0.changing = nil
      }
      logger.error(
        "the certificate could not be reloaded; the previous one stays in use",
        metadata: metadata.merging(["reason": "\(error)"]) { $1 })
    }
  }

  /// Reloads the files if they have changed and stayed the same since the last check: a renewal writes two files, one after the
  /// other.
  package func reloadIfChanged() {
    let fingerprint = files.fingerprint
    let isSettled = state.withLock { state in
      guard fingerprint != state.tried else {
        state.changing = nil
        return false
      }
      guard state.changing == .some(fingerprint) else {
        state.changing = .some(fingerprint)
        return false
      }
      return true
    }
    if isSettled { reload() }
  }

  private func warn(_ expiry: Date?) {
    guard let expiry, expiry <= clock() else { return }
    logger.warning(
      "the certificate has expired; clients will refuse it",
      metadata: metadata.merging(["on": "\(expiry)"]) { $1 })
  }

  private var metadata: Logger.Metadata { ["file": "\(files.certificate.path)"] }
}
