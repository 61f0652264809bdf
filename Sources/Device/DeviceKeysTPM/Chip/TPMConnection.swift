internal import CTSS2
internal import DeviceKeys
internal import Foundation

/// A conversation with the chip, on one thread. Everything that it loads into the chip is flushed at its end, however it ends.
final class TPMConnection {
  /// The command that errors name while there is no connection yet.
  static let connecting = "Connecting"

  let esys: OpaquePointer
  private let channel: Channel
  /// The loaded objects and started sessions that are not flushed yet, oldest first.
  private var loaded: [ESYS_TR] = []

  /// The transport of commands.
  private enum Channel {
    case socket(SocketTransport)
    /// A module of tpm2-tss.
    case library(OpaquePointer)

    init(_ chip: ChipAddress, limit: Duration) throws {
      if let address = SocketTransport.Address(tcti: chip.text) {
        self = .socket(try SocketTransport(address, limit: limit))
        return
      }
      var tcti: OpaquePointer?
      try TPMFailure.check(TPMConnection.connecting, Tss2_TctiLdr_Initialize(chip.text, &tcti))
      guard let tcti else { throw TPMFailure(command: TPMConnection.connecting, code: TPMFailure.noContext) }
      self = .library(tcti)
    }

    var tcti: OpaquePointer {
      switch self {
      case .socket(let transport): transport.tcti
      case .library(let tcti): tcti
      }
    }

    var isSilent: Bool {
      if case .socket(let transport) = self { transport.isSilent } else { false }
    }

    func close() {
      guard case .library(let tcti) = self else { return }
      var library: OpaquePointer? = tcti
      Tss2_TctiLdr_Finalize(&library)
    }
  }

  /// Runs `body` with a connection to `chip`.
  ///
  /// - Parameter limit: How long swtpm may take for an answer. A device file has the kernel's own limits.
  /// - Throws: ``TPMFailure``; ``DeviceKeyError/busy(_:)`` when there was no answer in time; or what `body` throws.
  ///   Everything has been flushed by then.
  static func use<Result>(
    _ chip: ChipAddress, limit: Duration, _ body: (TPMConnection) throws -> Result
  ) throws -> Result {
    let connection = try TPMConnection(chip, limit: limit)
    defer { connection.close() }
    do {
      return try body(connection)
    } catch let failure as TPMFailure where connection.channel.isSilent {
      throw DeviceKeyError.busy(
        "\(failure.command) was not answered within \(limit), perhaps because another program holds the chip")
    }
  }

  private init(_ chip: ChipAddress, limit: Duration) throws {
    Self.quiet
    channel = try Channel(chip, limit: limit)
    var esys: OpaquePointer?
    let code = Esys_Initialize(&esys, channel.tcti, nil)
    guard code == TSS2_RC_SUCCESS, let esys else {
      channel.close()
      throw TPMFailure(command: "Starting", code: code == TSS2_RC_SUCCESS ? TPMFailure.noContext : code)
    }
    self.esys = esys
  }

  private func close() {
    for handle in loaded.reversed() { _ = Esys_FlushContext(esys, handle) }
    loaded = []
    var esys: OpaquePointer? = esys
    Esys_Finalize(&esys)
    channel.close()
  }

  /// Makes sure that `handle` is flushed when the conversation ends.
  func adopt(_ handle: ESYS_TR) -> ESYS_TR {
    loaded.append(handle)
    return handle
  }

  /// Frees the slot of `handle` early.
  func flush(_ handle: ESYS_TR) throws {
    try TPMFailure.check("TPM2_FlushContext", Esys_FlushContext(esys, handle))
    abandon(handle)
  }

  /// Does not flush `handle` at the end any more.
  func abandon(_ handle: ESYS_TR) { loaded.removeAll { $0 == handle } }

  /// Runs `command` and takes over the structure that ESAPI allocated for its result.
  func take<Value>(
    _ command: String, _ call: (inout UnsafeMutablePointer<Value>?) -> TSS2_RC
  ) throws -> Value {
    var answer: UnsafeMutablePointer<Value>?
    try TPMFailure.check(command, call(&answer))
    return try take(answer)
  }

  /// Takes over a structure that ESAPI allocated.
  func take<Value>(_ pointer: UnsafeMutablePointer<Value>?) throws -> Value {
    guard let pointer else { throw TPMFailure(command: "Reading a response", code: TPMFailure.noContext) }
    defer { Esys_Free(pointer) }
    return pointer.pointee
  }

  /// Stops the library from writing every refused command to stderr, unless the person has set `TSS2_LOG`.
  private static let quiet: Void = { _ = setenv("TSS2_LOG", "all+NONE", 0) }()
}
