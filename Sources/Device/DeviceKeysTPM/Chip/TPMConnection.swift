internal import CTSS2
internal import Foundation

/// A conversation with the chip, on one thread. What it loads into the chip leaves it again, however it ends.
final class TPMConnection {
  let esys: OpaquePointer
  private var tcti: OpaquePointer?
  /// What was loaded or started and not flushed yet, oldest first.
  private var loaded: [ESYS_TR] = []

  /// Runs `body` with a connection to the chip that `tcti` names, as in `device:/dev/tpmrm0`.
  ///
  /// - Throws: ``TPMFailure``, or what `body` throws. Everything has been flushed by then.
  static func use<Result>(_ tcti: String, _ body: (TPMConnection) throws -> Result) throws -> Result {
    let connection = try open(tcti)
    defer { connection.close() }
    return try body(connection)
  }

  private init(esys: OpaquePointer, tcti: OpaquePointer?) {
    self.esys = esys
    self.tcti = tcti
  }

  private static func open(_ name: String) throws -> TPMConnection {
    quiet
    var tcti: OpaquePointer?
    try TPMFailure.check("Connecting", Tss2_TctiLdr_Initialize(name, &tcti))
    var esys: OpaquePointer?
    let code = Esys_Initialize(&esys, tcti, nil)
    guard code == TSS2_RC_SUCCESS, let esys else {
      Tss2_TctiLdr_Finalize(&tcti)
      throw TPMFailure(command: "Connecting", code: code == TSS2_RC_SUCCESS ? TPMFailure.noContext : code)
    }
    return TPMConnection(esys: esys, tcti: tcti)
  }

  private func close() {
    for handle in loaded.reversed() { _ = Esys_FlushContext(esys, handle) }
    loaded = []
    var esys: OpaquePointer? = esys
    Esys_Finalize(&esys)
    Tss2_TctiLdr_Finalize(&tcti)
  }

  /// Makes sure that `handle`, new in the chip, is flushed when the conversation ends.
  func adopt(_ handle: ESYS_TR) -> ESYS_TR {
    loaded.append(handle)
    return handle
  }

  /// Frees the slot of `handle` early.
  func flush(_ handle: ESYS_TR) throws {
    try TPMFailure.check("TPM2_FlushContext", Esys_FlushContext(esys, handle))
    abandon(handle)
  }

  /// No longer flushes `handle` in the end.
  func abandon(_ handle: ESYS_TR) { loaded.removeAll { $0 == handle } }

  /// Takes over a structure that ESAPI allocated.
  func take<Value>(_ pointer: UnsafeMutablePointer<Value>?) throws -> Value {
    guard let pointer else { throw TPMFailure(command: "Reading a response", code: TPMFailure.noContext) }
    defer { Esys_Free(pointer) }
    return pointer.pointee
  }

  /// The library writes every refused command to stderr unless it is told not to; the person who set it has priority.
  private static let quiet: Void = { _ = setenv("TSS2_LOG", "all+NONE", 0) }()
}
