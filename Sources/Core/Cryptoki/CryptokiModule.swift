internal import RuntimeLibraries

/// The functions of a token's library that keys need (PKCS#11 v2.40, Cryptoki). The library is opened when a key in a token is named.
///
/// The library is code in this process: it can read the process's memory, and a crash in it ends the process. Its origin is therefore
/// checked (``ModulePlace``) and its answers are not trusted. Nothing more can be done here.
///
/// `CK_ULONG` is C's `unsigned long`, which is Swift's `UInt` on every platform except Windows.
package struct CryptokiModule: Sendable {
  package typealias Code = UInt
  package typealias Words = UnsafeMutablePointer<UInt>

  /// `CK_ATTRIBUTE`, and `CK_MECHANISM`, which has the same form.
  package struct Attribute {
    package var type: UInt
    package var value: UnsafeMutableRawPointer?
    package var length: UInt

    package init(type: UInt, value: UnsafeMutableRawPointer?, length: UInt) {
      (self.type, self.value, self.length) = (type, value, length)
    }
  }

  package let getSlotList: @Sendable @convention(c) (UInt8, Words?, Words) -> Code
  package let getTokenInfo: @Sendable @convention(c) (UInt, UnsafeMutableRawPointer) -> Code
  package let openSession:
    @Sendable @convention(c) (UInt, UInt, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Words) -> Code
  package let closeSession: @Sendable @convention(c) (UInt) -> Code
  package let login: @Sendable @convention(c) (UInt, UInt, UnsafePointer<UInt8>?, UInt) -> Code
  package let logout: @Sendable @convention(c) (UInt) -> Code
  package let setPIN:
    @Sendable @convention(c) (UInt, UnsafePointer<UInt8>, UInt, UnsafePointer<UInt8>, UInt) -> Code
  package let destroyObject: @Sendable @convention(c) (UInt, UInt) -> Code
  package let getAttributeValue: @Sendable @convention(c) (UInt, UInt, UnsafeMutableRawPointer, UInt) -> Code
  package let findObjectsInit: @Sendable @convention(c) (UInt, UnsafeMutableRawPointer?, UInt) -> Code
  package let findObjects: @Sendable @convention(c) (UInt, Words, UInt, Words) -> Code
  package let findObjectsFinal: @Sendable @convention(c) (UInt) -> Code
  package let signInit: @Sendable @convention(c) (UInt, UnsafeMutableRawPointer, UInt) -> Code
  package let sign:
    @Sendable @convention(c) (UInt, UnsafePointer<UInt8>, UInt, UnsafeMutablePointer<UInt8>, Words) -> Code
  package let generateKey:
    @Sendable @convention(c) (UInt, UnsafeMutableRawPointer, UnsafeMutableRawPointer, UInt, Words) -> Code
  package let generateKeyPair:
    @Sendable @convention(c) (
      UInt, UnsafeMutableRawPointer, UnsafeMutableRawPointer, UInt, UnsafeMutableRawPointer, UInt, Words,
      Words
    ) -> Code

  /// `CK_C_INITIALIZE_ARGS`: the library may use the system's locks.
  private struct InitializeArguments {
    var createMutex: UnsafeRawPointer?
    var destroyMutex: UnsafeRawPointer?
    var lockMutex: UnsafeRawPointer?
    var unlockMutex: UnsafeRawPointer?
    /// `CKF_OS_LOCKING_OK`
    var flags: UInt = 2
    var reserved: UnsafeRawPointer?
  }

  /// Opens the library at `path`. It stays open until the program ends.
  ///
  /// - Throws: ``CryptokiError`` when the file is missing, others may change it, or it is not a PKCS#11 library.
  package init(path: String) throws(CryptokiError) {
    let place = try ModulePlace(path)
    let library = RuntimeLibrary(title: path, candidates: [place.resolved], installation: "")
    let list: UnsafeRawPointer
    do throws(RuntimeLibraryError) {
      let getFunctionList: @convention(c) (UnsafeMutablePointer<UnsafeRawPointer?>) -> Code =
        try library.open().function("C_GetFunctionList")
      var pointer: UnsafeRawPointer?
      guard getFunctionList(&pointer) == 0, let pointer else {
        throw RuntimeLibraryError(title: path, installation: "", reason: "it gives no list of functions")
      }
      list = pointer
    } catch {
      throw CryptokiError(path: path, reason: error.reason)
    }
    // CK_VERSION: major, minor.
    let major = list.load(as: UInt8.self)
    guard (2...3).contains(major) else {
      throw CryptokiError(path: path, reason: "it has version \(major) of PKCS#11, not 2 or 3")
    }
    // Places in `CK_FUNCTION_LIST` stay the same in all versions of the standard.
    func function<Function>(_ name: String, at place: Int) throws(CryptokiError) -> Function {
      // The version comes first, in a word of its own.
      let offset = (1 + place) * MemoryLayout<UnsafeRawPointer>.size
      guard let pointer = list.load(fromByteOffset: offset, as: UnsafeRawPointer?.self) else {
        throw CryptokiError(path: path, reason: "it lacks the function \(name)")
      }
      return unsafeBitCast(pointer, to: Function.self)
    }
    let initialize: @convention(c) (UnsafeMutableRawPointer?) -> Code = try function("initialize", at: 0)
    getSlotList = try function("getSlotList", at: 4)
    getTokenInfo = try function("getTokenInfo", at: 6)
    setPIN = try function("setPIN", at: 11)
    openSession = try function("openSession", at: 12)
    closeSession = try function("closeSession", at: 13)
    login = try function("login", at: 18)
    logout = try function("logout", at: 19)
    destroyObject = try function("destroyObject", at: 22)
    getAttributeValue = try function("getAttributeValue", at: 24)
    findObjectsInit = try function("findObjectsInit", at: 26)
    findObjects = try function("findObjects", at: 27)
    findObjectsFinal = try function("findObjectsFinal", at: 28)
    signInit = try function("signInit", at: 42)
    sign = try function("sign", at: 43)
    generateKey = try function("generateKey", at: 58)
    generateKeyPair = try function("generateKeyPair", at: 59)
    var arguments = InitializeArguments()
    let code = initialize(&arguments)
    guard code == Return.ok || code == Return.alreadyInitialized else {
      throw CryptokiError(path: path, reason: Return.text(code))
    }
  }

  /// Return values (`CKR_…`).
  package enum Return {
    package static let ok: Code = 0
    package static let attributeSensitive: Code = 0x11
    package static let attributeTypeInvalid: Code = 0x12
    package static let pinIncorrect: Code = 0xA0
    package static let pinInvalid: Code = 0xA1
    package static let pinLengthRange: Code = 0xA2
    package static let pinLocked: Code = 0xA4
    package static let userAlreadyLoggedIn: Code = 0x100
    package static let userNotLoggedIn: Code = 0x101
    package static let bufferTooSmall: Code = 0x150
    package static let alreadyInitialized: Code = 0x191

    /// Whether the code says that a token refused a template because of its content.
    package static func isRefusedTemplate(_ code: Code) -> Bool {
      // CKR_ATTRIBUTE_READ_ONLY, CKR_ATTRIBUTE_TYPE_INVALID, CKR_ATTRIBUTE_VALUE_INVALID, CKR_TEMPLATE_INCONSISTENT
      [0x10, attributeTypeInvalid, 0x13, 0xD1].contains(code)
    }

    package static func text(_ code: Code) -> String {
      switch code {
      case 0x05: "the function failed (CKR_GENERAL_ERROR)"
      case 0x30: "the token failed (CKR_DEVICE_ERROR)"
      case 0x31: "the token is full (CKR_DEVICE_MEMORY)"
      case 0x32: "the token was removed (CKR_DEVICE_REMOVED)"
      case 0x63: "the key has another type (CKR_KEY_TYPE_INCONSISTENT)"
      case 0x68: "the key may not be used for this (CKR_KEY_FUNCTION_NOT_PERMITTED)"
      case 0x70: "the token does not know this algorithm (CKR_MECHANISM_INVALID)"
      case pinIncorrect: "the PIN is wrong (CKR_PIN_INCORRECT)"
      case pinInvalid: "the PIN has characters that the token does not take (CKR_PIN_INVALID)"
      case pinLengthRange: "the PIN has the wrong length (CKR_PIN_LEN_RANGE)"
      case 0xA3: "the PIN has expired (CKR_PIN_EXPIRED)"
      case pinLocked: "the PIN is locked (CKR_PIN_LOCKED)"
      case 0xE0: "the token is not there (CKR_TOKEN_NOT_PRESENT)"
      case 0xE2: "the token cannot be written to (CKR_TOKEN_WRITE_PROTECTED)"
      case userNotLoggedIn: "a PIN is needed (CKR_USER_NOT_LOGGED_IN)"
      default: "the token answers 0x\(String(code, radix: 16))"
      }
    }
  }

  /// Runs `body` with attributes as `CK_ATTRIBUTE`s.
  package static func withAttributes<Result>(
    _ attributes: [(type: UInt, value: [UInt8])],
    _ body: (UnsafeMutableRawPointer, UInt) throws -> Result
  ) rethrows -> Result {
    var values = attributes.flatMap(\.value) + [0]
    return try values.withUnsafeMutableBytes { buffer in
      var offset = 0
      var template = attributes.map { attribute in
        defer { offset += attribute.value.count }
        return Attribute(
          type: attribute.type, value: buffer.baseAddress?.advanced(by: offset),
          length: UInt(attribute.value.count))
      }
      let count = UInt(template.count)
      return try template.withUnsafeMutableBytes { template in
        guard let start = template.baseAddress else { preconditionFailure("a template has attributes") }
        return try body(start, count)
      }
    }
  }

  /// A `CK_ULONG` as the value of an attribute.
  package static func word(_ value: UInt) -> [UInt8] { withUnsafeBytes(of: value, Array.init) }
}

/// Why a PKCS#11 module cannot be used. The reason is a phrase.
package struct CryptokiError: Error, Sendable, Hashable {
  package let path: String
  package let reason: String

  package init(path: String, reason: String) { (self.path, self.reason) = (path, reason) }
}
