internal import CTSS2
internal import DeviceKeys
internal import Foundation

/// Numbers of the TPM 2.0 Library, Part 2 §6.13 and §7.5, whose macros Swift does not import.
private enum Number {
  static let lockoutCounter: TPM2_PT = 0x20e
  static let maximumAuthorizationFailures: TPM2_PT = 0x20f
  static let lockoutInterval: TPM2_PT = 0x210
  static let firstTransientObject: TPM2_HANDLE = 0x8000_0000
  static let firstLoadedSession: TPM2_HANDLE = 0x0200_0000
}

/// What the chip says about itself (TPM2_GetCapability, TPM 2.0 Library, Part 3 §30.2).
extension TPMConnection {
  /// The dictionary attack protection (Part 1 §19.8).
  struct Lockout: Sendable, Hashable {
    /// The number of wrong authorisation values that count at the moment.
    let failures: UInt32
    /// The number of failures at which the chip refuses all values; 0 when it always does.
    let maximumFailures: UInt32
    /// The seconds after which one failure is forgotten; 0 when none counts.
    let interval: UInt32

    /// The longest time until a PIN is accepted again, in seconds; `nil` when time alone does not help.
    var secondsLeft: TimeInterval? {
      guard failures >= maximumFailures else { return 0 }
      guard interval > 0, maximumFailures > 0 else { return nil }
      return TimeInterval(failures - maximumFailures + 1) * TimeInterval(interval)
    }

    /// How many wrong PINs the chip still accepts.
    var tries: PINTries {
      PINTries(
        left: failures < maximumFailures ? Int(maximumFailures - failures) : 0, wrong: Int(failures),
        wait: secondsLeft ?? 0, isOfChip: true)
    }
  }

  /// `nil` when the chip does not report all of it.
  func lockout() throws -> Lockout? {
    let values = try properties(from: Number.lockoutCounter, count: 3)
    guard let failures = values[Number.lockoutCounter],
      let maximum = values[Number.maximumAuthorizationFailures], let interval = values[Number.lockoutInterval]
    else { return nil }
    return Lockout(failures: failures, maximumFailures: maximum, interval: interval)
  }

  func properties(from first: TPM2_PT, count: UInt32) throws -> [TPM2_PT: UInt32] {
    let list = try capability(TPM2_CAP_TPM_PROPERTIES, from: first, count: count).tpmProperties
    return withUnsafeBytes(of: list.tpmProperty) { raw in
      let entries = raw.assumingMemoryBound(to: TPMS_TAGGED_PROPERTY.self).prefix(Int(list.count))
      return Dictionary(entries.map { ($0.property, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
  }

  /// The objects and sessions that are in the chip, or that its resource manager shows to this connection.
  func handles() throws -> [TPM2_HANDLE] {
    var all: [TPM2_HANDLE] = []
    for first in [Number.firstTransientObject, Number.firstLoadedSession] {
      let list = try capability(TPM2_CAP_HANDLES, from: first, count: 254).handles
      all += withUnsafeBytes(of: list.handle) {
        Array($0.assumingMemoryBound(to: TPM2_HANDLE.self).prefix(Int(list.count)))
      }
    }
    return all
  }

  /// Frees slots that a killed process has left behind.
  func flushLeftovers() throws {
    for handle in try handles() {
      var resource = ESYS_TR_NONE
      try TPMFailure.check(
        "TPM2_ReadPublic",
        Esys_TR_FromTPMPublic(esys, handle, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &resource))
      try TPMFailure.check("TPM2_FlushContext", Esys_FlushContext(esys, resource))
    }
  }

  /// The content of the NV index `index`; `nil` when there is none.
  func readNV(_ index: TPM2_HANDLE, limit: Int) throws -> [UInt8]? {
    var resource = ESYS_TR_NONE
    do {
      try TPMFailure.check(
        "TPM2_NV_ReadPublic",
        Esys_TR_FromTPMPublic(esys, index, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &resource))
    } catch let failure as TPMFailure
      where failure.meaning == .noSuchHandle
    {
      return nil
    }
    defer { _ = Esys_TR_Close(esys, &resource) }
    let publicArea = try take("TPM2_NV_ReadPublic") {
      Esys_NV_ReadPublic(esys, resource, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &$0, nil)
    }
    let size = Int(publicArea.nvPublic.dataSize)
    guard size <= limit else { throw TPMFailure(command: "TPM2_NV_Read", code: TPMFailure.trailingBytes) }
    // Every chip returns 512 bytes at a time, few return much more.
    var bytes: [UInt8] = []
    while bytes.count < size {
      let read = try take("TPM2_NV_Read") {
        Esys_NV_Read(
          esys, resource, resource, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE,
          UInt16(min(512, size - bytes.count)), UInt16(bytes.count), &$0)
      }.bytes
      guard !read.isEmpty else { throw TPMFailure(command: "TPM2_NV_Read", code: TPMFailure.noContext) }
      bytes += read
    }
    return bytes
  }

  private func capability(
    _ capability: TPM2_CAP, from first: UInt32, count: UInt32
  ) throws -> TPMU_CAPABILITIES {
    var more = TPMI_YES_NO()
    return try take("TPM2_GetCapability") {
      Esys_GetCapability(
        esys, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, capability, first, count, &more, &$0)
    }.data
  }
}
