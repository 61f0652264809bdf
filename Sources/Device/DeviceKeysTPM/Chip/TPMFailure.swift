internal import CTSS2

/// A response code other than success, from the TPM or from a layer below it (TPM 2.0 Library, Part 2 §6.6).
struct TPMFailure: Error, CustomStringConvertible {
  /// What a code means for a caller.
  enum Meaning: Sendable, Hashable {
    /// The authorisation value is wrong, and the chip has counted it (TPM_RC_AUTH_FAIL).
    case wrongAuthorization
    /// The authorisation value of an object that does not count tries is wrong (TPM_RC_BAD_AUTH).
    case uncountedWrongAuthorization
    /// The dictionary attack counter is at its limit (TPM_RC_LOCKOUT).
    case lockedOut
    /// All slots for objects or sessions are taken, or the chip asks to be tried again.
    case busy
    /// A private part does not belong to its public part or parent (TPM_RC_INTEGRITY).
    case integrity
    /// There is nothing at that handle (TPM_RC_HANDLE).
    case noSuchHandle
    /// The chip does not answer: there is none, there is no permission, or the connection broke.
    case unreachable
    case other
  }

  /// The command that failed, for example `TPM2_Load`.
  let command: String
  let code: TSS2_RC

  /// A structure is followed by bytes that do not belong to it, or is longer than it can be (TSS2_MU_RC_BAD_SIZE).
  static let trailingBytes: TSS2_RC = 9 << 16 | 16
  /// The library reported success without a result (TSS2_ESYS_RC_GENERAL_FAILURE).
  static let noContext: TSS2_RC = 7 << 16 | 1

  /// - Throws: ``TPMFailure`` unless `code` is success.
  static func check(_ command: String, _ code: TSS2_RC) throws {
    guard code == TSS2_RC_SUCCESS else { throw TPMFailure(command: command, code: code) }
  }

  var meaning: Meaning {
    // The high bits name the layer: 0 is the chip, 11 and 12 are the resource manager speaking for it, 10 the connection.
    switch code >> 16 {
    case 0, 11, 12: Self.meaning(ofChipCode: code & 0xfff)
    case 10: .unreachable
    default: .other
    }
  }

  private static func meaning(ofChipCode code: UInt32) -> Meaning {
    if code & 0x080 != 0 {
      // Format one: the other bits tell which handle, session or parameter is meant.
      return switch code & 0x0bf {
      case 0x08b: .noSuchHandle
      case 0x08e: .wrongAuthorization
      case 0x09f: .integrity
      case 0x0a2: .uncountedWrongAuthorization
      default: .other
      }
    }
    return switch code {
    // CONTEXT_GAP, OBJECT_MEMORY, SESSION_MEMORY, MEMORY, SESSION_HANDLES, OBJECT_HANDLES.
    case 0x901...0x906: .busy
    // YIELDED, CANCELED, TESTING, NV_RATE, RETRY, NV_UNAVAILABLE.
    case 0x908, 0x909, 0x90a, 0x920, 0x922, 0x923: .busy
    case 0x921: .lockedOut
    default: .other
    }
  }

  var description: String {
    let text = Tss2_RC_Decode(code).map { String(cString: $0) } ?? "unknown"
    return "\(command) failed with 0x\(String(code, radix: 16)) (\(text))"
  }
}
