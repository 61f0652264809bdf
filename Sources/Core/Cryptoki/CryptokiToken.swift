internal import Foundation

/// A token in a slot, as it describes itself (`CK_TOKEN_INFO`).
package struct CryptokiToken: Sendable, Hashable {
  package let slot: UInt
  package let label: String
  package let manufacturer: String
  package let model: String
  package let serial: String
  private let flags: UInt
  /// The allowed lengths of a PIN, in bytes.
  package let pinLengths: ClosedRange<UInt>

  /// `CKF_LOGIN_REQUIRED`
  package var isLoginRequired: Bool { flags & 0x4 != 0 }
  /// `CKF_USER_PIN_INITIALIZED`
  package var hasPIN: Bool { flags & 0x8 != 0 }
  /// `CKF_TOKEN_INITIALIZED`
  package var isInitialized: Bool { flags & 0x400 != 0 }
  /// `CKF_USER_PIN_COUNT_LOW`: a wrong PIN was entered since the last right one.
  package var isPINCountLow: Bool { flags & 0x10000 != 0 }
  /// `CKF_USER_PIN_FINAL_TRY`
  package var isFinalTry: Bool { flags & 0x20000 != 0 }
  /// `CKF_USER_PIN_LOCKED`
  package var isPINLocked: Bool { flags & 0x40000 != 0 }

  /// Reads the description of the token in `slot`, whose texts are padded with blanks. `nil` when the module fails.
  private init?(slot: UInt, _ module: CryptokiModule) {
    var info = [UInt8](repeating: 0, count: 1024)
    let code = info.withUnsafeMutableBytes { buffer in
      buffer.baseAddress.map { module.getTokenInfo(slot, $0) }
    }
    guard code == CryptokiModule.Return.ok else { return nil }
    func text(_ range: Range<Int>) -> String {
      String(decoding: info[range], as: UTF8.self).trimmingCharacters(in: .whitespaces)
    }
    // After the texts come the flags, four session counts, and the longest and the shortest PIN.
    func word(_ index: Int) -> UInt {
      info[(96 + index * MemoryLayout<UInt>.size)...].withUnsafeBytes { $0.loadUnaligned(as: UInt.self) }
    }
    self.slot = slot
    label = text(0..<32)
    manufacturer = text(32..<64)
    model = text(64..<80)
    serial = text(80..<96)
    flags = word(0)
    pinLengths = min(word(6), word(5))...max(word(6), word(5))
  }

  /// The most slots that a module may name.
  private static let mostSlots: UInt = 256

  /// The initialized tokens in the module's slots. The list is requested again when slots were added meanwhile.
  ///
  /// - Throws: ``CryptokiFailure``
  package static func all(of module: CryptokiModule) throws(CryptokiFailure) -> [CryptokiToken] {
    for _ in 1...4 {
      var count: UInt = 0
      try CryptokiFailure.check(module.getSlotList(1, nil, &count))
      guard count <= mostSlots else { throw CryptokiFailure(reason: "it names more than \(mostSlots) slots") }
      // Room for a few slots that are added meanwhile.
      var slots = [UInt](repeating: 0, count: Int(count) + 8)
      count = UInt(slots.count)
      let code = module.getSlotList(1, &slots, &count)
      if code == CryptokiModule.Return.bufferTooSmall || count > slots.count { continue }
      try CryptokiFailure.check(code)
      return slots.prefix(Int(count)).compactMap { CryptokiToken(slot: $0, module) }.filter(\.isInitialized)
    }
    throw CryptokiFailure(reason: "its list of slots grows each time it is read")
  }
}

/// Why a module or token did not do what it was asked.
package struct CryptokiFailure: Error, Sendable, Hashable {
  /// `CKR_…`; `nil` when the answer is not one that the standard allows.
  package let code: CryptokiModule.Code?
  /// A phrase.
  package let reason: String

  package init(code: CryptokiModule.Code) {
    self.code = code
    reason = CryptokiModule.Return.text(code)
  }

  package init(reason: String) {
    code = nil
    self.reason = reason
  }

  package static func check(_ code: CryptokiModule.Code) throws(CryptokiFailure) {
    guard code == CryptokiModule.Return.ok else { throw CryptokiFailure(code: code) }
  }
}
